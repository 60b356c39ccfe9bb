# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX models."""
