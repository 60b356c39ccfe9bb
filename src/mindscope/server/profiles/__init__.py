# SPDX-License-Identifier: Apache-2.0
"""Profiles: which ones the runs have, and views of one, a folder each."""
