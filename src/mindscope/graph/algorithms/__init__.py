# SPDX-License-Identifier: Apache-2.0
"""What is computed of one graph: costs, paths, selections, drawings."""
