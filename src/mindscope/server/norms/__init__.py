# SPDX-License-Identifier: Apache-2.0
"""Norms of many series of one run at a few steps."""
