# SPDX-License-Identifier: Apache-2.0
"""Reads graphs of all frameworks."""
