# SPDX-License-Identifier: Apache-2.0
"""The language of expressions over the curves of a run and over a table of runs."""
