# SPDX-License-Identifier: Apache-2.0
"""The parts of a trace on a screen: windows, ranges, slices and counters."""
