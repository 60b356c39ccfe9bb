# SPDX-License-Identifier: Apache-2.0
"""What every part of the PyTorch side shares: the state of a loop, batches, devices, ranks, checks of arguments."""
