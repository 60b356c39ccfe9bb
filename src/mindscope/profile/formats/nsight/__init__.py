# SPDX-License-Identifier: Apache-2.0
"""Reads what Nsight Systems exports with ``nsys export --type sqlite``."""
