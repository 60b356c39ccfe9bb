# SPDX-License-Identifier: Apache-2.0
"""What a screen shows of a trace: windows, ranges, slices and counters."""
