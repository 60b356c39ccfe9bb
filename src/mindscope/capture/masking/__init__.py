# SPDX-License-Identifier: Apache-2.0
"""Masks secrets in arguments, texts and parameters."""
