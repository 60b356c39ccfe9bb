# SPDX-License-Identifier: Apache-2.0
"""Small pictures of graphs, data pipelines and landscapes for the dashboard."""
