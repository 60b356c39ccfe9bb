# SPDX-License-Identifier: Apache-2.0
"""Debugging data of runs: statistics of tensors step by step."""
