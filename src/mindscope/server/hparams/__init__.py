# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters and results of runs."""
