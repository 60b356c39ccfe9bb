# SPDX-License-Identifier: Apache-2.0
"""Names of files of TensorBoard's projector."""

CONFIG_NAME = "projector_config.pbtxt"
"""File in the directory of a run that lists its embeddings."""
