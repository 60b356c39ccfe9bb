# SPDX-License-Identifier: Apache-2.0
"""The lineage table of all runs."""
