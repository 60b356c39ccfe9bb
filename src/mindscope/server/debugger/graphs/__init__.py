# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors on the nodes and scopes of a computational graph."""
