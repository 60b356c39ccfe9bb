# SPDX-License-Identifier: Apache-2.0
"""Sweeps over hyperparameters: trials are processes that record runs, and Optuna chooses their parameters."""
