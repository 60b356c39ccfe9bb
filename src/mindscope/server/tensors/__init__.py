# SPDX-License-Identifier: Apache-2.0
"""Tensors: windows of slices, statistics, heat maps and files."""
