# SPDX-License-Identifier: Apache-2.0
"""The computations over one graph: costs, paths, selections, drawings."""
