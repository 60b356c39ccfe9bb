# SPDX-License-Identifier: Apache-2.0
"""Writes TensorBoard's format with the interface of PyTorch's and tensorboardX's ``SummaryWriter``."""

from mindscope.tensorboard.summary_writer import SummaryWriter

__all__ = ["SummaryWriter"]
