# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps."""
