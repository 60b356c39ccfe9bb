# SPDX-License-Identifier: Apache-2.0
"""Dump for PyTorch: inputs and outputs of the operators that the dispatcher runs."""
