# SPDX-License-Identifier: Apache-2.0
"""The shared base of the PyTorch side: the state of a loop, batches, devices, ranks, checks of arguments."""
