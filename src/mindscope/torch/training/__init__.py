# SPDX-License-Identifier: Apache-2.0
"""Model: trains and evaluates a network, and calls the callbacks."""
