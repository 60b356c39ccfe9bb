# SPDX-License-Identifier: Apache-2.0
"""Dump: writes inputs and outputs of operators as MindSpore does, for all frameworks."""
