# SPDX-License-Identifier: Apache-2.0
"""Dumps of msprobe, for PyTorch and MindSpore."""
