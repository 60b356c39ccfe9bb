# SPDX-License-Identifier: Apache-2.0
"""Deletes and moves runs on disk."""
