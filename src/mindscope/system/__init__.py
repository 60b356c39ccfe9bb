# SPDX-License-Identifier: Apache-2.0
"""Metrics of the machine and the process beside a training: processors, memory, disk, network, GPUs."""

from mindscope.system.sampler import SAMPLER, SystemSampler

__all__ = ["SAMPLER", "SystemSampler"]
