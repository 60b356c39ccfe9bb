# SPDX-License-Identifier: Apache-2.0
"""Sweeps below the directory of the viewer: their state, and starting and stopping them."""
