# SPDX-License-Identifier: Apache-2.0
"""Explains traces of PyTorch: links their events, and computes the tables of a profile."""
