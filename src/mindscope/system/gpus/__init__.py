# SPDX-License-Identifier: Apache-2.0
"""Metrics of GPUs and NPUs, where their driver or their tool is."""
