# SPDX-License-Identifier: Apache-2.0
"""The neutral model of debugging data: what was recorded of tensors, step by step, for all frameworks and formats."""
