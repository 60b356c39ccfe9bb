# SPDX-License-Identifier: Apache-2.0
"""Costs of nodes for the critical path, under the name that docs/python.md gives them."""

from __future__ import annotations

from mindscope.graph.algorithms.costs import node_flops, output_bytes, parameter_counts

__all__ = ["node_flops", "output_bytes", "parameter_counts"]
