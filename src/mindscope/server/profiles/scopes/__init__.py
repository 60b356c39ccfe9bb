# SPDX-License-Identifier: Apache-2.0
"""Times and memory of the scopes of a graph."""
