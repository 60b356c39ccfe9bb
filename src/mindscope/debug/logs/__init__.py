# SPDX-License-Identifier: Apache-2.0
"""Logs of trainings: an index of lines by level, time, module and rank, over files of any size."""
