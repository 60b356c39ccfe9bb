# SPDX-License-Identifier: Apache-2.0
"""Reads profiles of all frameworks into one neutral model, and explains where time and memory went."""
