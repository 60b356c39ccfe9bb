# SPDX-License-Identifier: Apache-2.0
"""The difference of two profiles."""
