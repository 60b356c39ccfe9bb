# SPDX-License-Identifier: Apache-2.0
"""Precision-recall curves."""
