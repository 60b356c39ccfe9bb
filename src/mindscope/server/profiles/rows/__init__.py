# SPDX-License-Identifier: Apache-2.0
"""Rows of operators, kernels and modules: page by page, one in detail, as a file."""
