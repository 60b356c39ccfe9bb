# SPDX-License-Identifier: Apache-2.0
"""Logs of other trackers: each one is a row of ``TRACKERS`` that finds, reads and decodes them where they are."""
