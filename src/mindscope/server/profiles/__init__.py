# SPDX-License-Identifier: Apache-2.0
"""Profiles: which ones the runs have, and the timeline of one."""
