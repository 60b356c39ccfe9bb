# SPDX-License-Identifier: Apache-2.0
"""Embeddings in files of TensorBoard's projector: vectors, metadata, sprites, principal components, neighbors."""
