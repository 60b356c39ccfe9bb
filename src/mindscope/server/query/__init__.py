# SPDX-License-Identifier: Apache-2.0
"""Statements of SQL over the runs."""
