# SPDX-License-Identifier: Apache-2.0
"""Sounds of a run."""
