# SPDX-License-Identifier: Apache-2.0
"""Collectors for the trainers of other packages: Lightning and Transformers."""
