# SPDX-License-Identifier: Apache-2.0
"""Computes what a page draws of the memory of a device: curves, live blocks, stacks, segments, leaks."""
