# SPDX-License-Identifier: Apache-2.0
"""Whole tensors of debugging data."""
