# SPDX-License-Identifier: Apache-2.0
"""The messages of ONNX models (proto2) as schema tables. Source: the descriptors of ONNX 1.23; the tests compare them."""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

SCHEMAS = parse_schemas("""
ModelProto: 1 int64 ir_version, 2 string producer_name, 3 string producer_version, 5 int64 model_version, 7 GraphProto graph, 25 repeated FunctionProto functions
GraphProto: 1 repeated NodeProto node, 2 string name, 5 repeated TensorProto initializer, 11 repeated ValueInfoProto input, 12 repeated ValueInfoProto output, 13 repeated ValueInfoProto value_info, 15 repeated SparseTensorProto sparse_initializer
FunctionProto: 1 string name, 4 repeated string input, 5 repeated string output, 7 repeated NodeProto node, 10 string domain, 12 repeated ValueInfoProto value_info
NodeProto: 1 repeated string input, 2 repeated string output, 3 string name, 4 string op_type, 5 repeated AttributeProto attribute, 7 string domain, 9 repeated StringStringEntryProto metadata_props
AttributeProto: 1 string name, 2 float f, 3 int64 i, 4 bytes s, 5 TensorProto t, 6 GraphProto g, 7 repeated float floats, 8 repeated int64 ints, 9 repeated bytes strings, 10 repeated TensorProto tensors, 11 repeated GraphProto graphs, 14 TypeProto tp, 20 enum type, 21 string ref_attr_name
ValueInfoProto: 1 string name, 2 TypeProto type
StringStringEntryProto: 1 string key, 2 string value
TensorProto: 1 repeated int64 dims, 2 int32 data_type, 4 packed float float_data, 5 packed int32 int32_data, 6 repeated bytes string_data, 7 packed int64 int64_data, 8 string name, 9 bytes raw_data, 10 packed double double_data, 11 packed uint64 uint64_data, 13 repeated StringStringEntryProto external_data, 14 enum data_location
SparseTensorProto: 1 TensorProto values, 2 TensorProto indices, 3 repeated int64 dims
TypeProto: 1 Tensor tensor_type, 4 Sequence sequence_type, 8 Tensor sparse_tensor_type, 9 Sequence optional_type
Tensor: 1 int32 elem_type, 2 TensorShapeProto shape
Sequence: 1 TypeProto elem_type
TensorShapeProto: 1 repeated Dimension dim
Dimension: 1 int64 dim_value, 2 string dim_param
""")

_PARTS = parse_schemas("""
NamedTensor: 8 string name
TypedTensor: 1 repeated int64 dims, 2 int32 data_type
AttributeTensor: 5 bytes t
AttributeGraphs: 1 string name, 6 bytes g, 11 repeated bytes graphs
""")

MODEL = SCHEMAS["ModelProto"]
GRAPH = SCHEMAS["GraphProto"]
NODE = SCHEMAS["NodeProto"]
TENSOR = SCHEMAS["TensorProto"]
TYPE = SCHEMAS["TypeProto"]
TENSOR_NAME = _PARTS["NamedTensor"]
"""Parts of messages, so that a scan passes over their data."""
TENSOR_TYPE = _PARTS["TypedTensor"]
ATTRIBUTE_TENSOR = _PARTS["AttributeTensor"]
ATTRIBUTE_GRAPHS = _PARTS["AttributeGraphs"]

DTYPES = (
    " float32 uint8 int8 uint16 int16 int32 int64 string bool float16 float64 uint32 uint64 complex64 complex128 bfloat16 "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz uint4 int4 float4_e2m1fn float8_e8m0fnu"
).split(" ")
"""Names of data types by number; the first is unknown."""
