# SPDX-License-Identifier: Apache-2.0
"""Dumps of MindSpore, of every version."""
