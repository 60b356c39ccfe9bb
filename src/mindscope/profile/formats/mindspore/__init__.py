# SPDX-License-Identifier: Apache-2.0
"""Reads what MindSpore before 2.3 writes: a directory ``profiler`` with many small files, by rank."""
