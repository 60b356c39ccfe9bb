# SPDX-License-Identifier: Apache-2.0
"""Scalar series as curves and CSV."""
