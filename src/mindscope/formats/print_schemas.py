# SPDX-License-Identifier: Apache-2.0
"""The messages of files that MindSpore's Print writes (proto2, package ``prntpb``) as schema tables."""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

SCHEMAS = parse_schemas("""
Print: 1 repeated Value value
Value: 1 string desc, 2 TensorProto tensor
TensorProto: 1 repeated int64 dims, 2 string tensor_type, 3 bytes tensor_content
""")

PRINT = SCHEMAS["Print"]
