# SPDX-License-Identifier: Apache-2.0
"""The precision-recall curves of series."""
