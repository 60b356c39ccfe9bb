# SPDX-License-Identifier: Apache-2.0
"""The columns of a graph, and of a data pipeline."""
