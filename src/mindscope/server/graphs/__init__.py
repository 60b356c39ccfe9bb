# SPDX-License-Identifier: Apache-2.0
"""Computational graphs: the graphs of a run, the structure of one, the details of one node, data pipelines."""
