# SPDX-License-Identifier: Apache-2.0
"""Alerts of runs."""
