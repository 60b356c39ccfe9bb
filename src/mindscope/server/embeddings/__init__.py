# SPDX-License-Identifier: Apache-2.0
"""Embeddings of runs: points, metadata, neighbors, sprites."""
