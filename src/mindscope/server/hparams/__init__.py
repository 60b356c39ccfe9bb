# SPDX-License-Identifier: Apache-2.0
"""Hyper-parameters and results of runs."""
