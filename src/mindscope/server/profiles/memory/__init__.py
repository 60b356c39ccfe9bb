# SPDX-License-Identifier: Apache-2.0
"""Memory of a profile: curves, live blocks, stacks, segments, leaks."""
