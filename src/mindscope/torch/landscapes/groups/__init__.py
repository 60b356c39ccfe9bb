# SPDX-License-Identifier: Apache-2.0
"""Several states of the weights at once: the graph of a network, rewritten so that its operators work on groups."""
