# SPDX-License-Identifier: Apache-2.0
"""Texts of a run."""
