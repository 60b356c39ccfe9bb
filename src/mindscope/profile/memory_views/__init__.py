# SPDX-License-Identifier: Apache-2.0
"""What a page shows of the memory of a device: curves, live blocks, stacks, segments, leaks."""
