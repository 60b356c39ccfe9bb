# SPDX-License-Identifier: Apache-2.0
"""Damages of runs."""
