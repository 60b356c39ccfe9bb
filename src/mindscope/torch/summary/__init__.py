# SPDX-License-Identifier: Apache-2.0
"""Recording: SummaryRecord, SummaryCollector and the summary operators."""
