# SPDX-License-Identifier: Apache-2.0
"""Text logs of trainings: files, filtered messages, counts over time."""
