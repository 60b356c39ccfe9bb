# SPDX-License-Identifier: Apache-2.0
"""Finds the first difference between two trainings."""
