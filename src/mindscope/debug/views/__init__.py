# SPDX-License-Identifier: Apache-2.0
"""Computes what a page or a table shows of debugging data: figures, rows of a step, heat maps."""
