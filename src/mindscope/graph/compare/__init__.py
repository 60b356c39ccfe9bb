# SPDX-License-Identifier: Apache-2.0
"""Matches the nodes of two graphs and says how they differ."""
