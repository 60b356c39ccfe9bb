# SPDX-License-Identifier: Apache-2.0
"""Callbacks for Model, with MindSpore's names: checkpoints, early stopping, learning rates, printing."""
