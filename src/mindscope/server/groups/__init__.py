# SPDX-License-Identifier: Apache-2.0
"""Statistics of groups of runs."""
