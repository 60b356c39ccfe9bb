# SPDX-License-Identifier: Apache-2.0
"""The messages of asynchronous dumps of Ascend (proto3, package ``toolkit.dumpdata``) as schema tables.

Source: field numbers as CANN's tools document them. Later versions have more fields, which decoding skips.
"""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

SCHEMAS = parse_schemas("""
DumpData: 1 string version, 2 uint64 dump_time, 3 repeated OpOutput output, 4 repeated OpInput input, 5 repeated OpBuffer buffer, 6 string op_name
OpOutput: 1 enum data_type, 2 enum format, 3 Shape shape, 4 OriginalOp original_op, 5 bytes data, 6 uint64 size, 7 Shape original_shape, 8 int32 sub_format
OpInput: 1 enum data_type, 2 enum format, 3 Shape shape, 4 bytes data, 5 uint64 size, 6 Shape original_shape, 7 int32 sub_format
OpBuffer: 1 enum buffer_type, 2 bytes data, 3 uint64 size
OriginalOp: 1 string name, 2 uint32 output_index, 3 enum data_type, 4 enum format
Shape: 1 packed uint64 dim
""")

DUMP_DATA = SCHEMAS["DumpData"]

DATA_TYPES = (
    "undefined float32 float16 int8 uint8 int16 uint16 int32 int64 uint32 uint64 bool float64 string dual_sub_int8 "
    "dual_sub_uint8 complex64 complex128 qint8 qint16 qint32 quint8 quint16 resource string_ref dual variant bfloat16 "
    "int4 uint1 int2 uint2"
).split()
"""Names of the types of elements, by number."""

FORMATS = {
    0: "NCHW", 1: "NHWC", 2: "ND", 3: "NC1HWC0", 4: "FRACTAL_Z", 5: "NC1C0HWPAD", 6: "NHWC1C0", 7: "FSR_NCHW",
    8: "FRACTAL_DECONV", 9: "C1HWNC0", 10: "FRACTAL_DECONV_TRANSPOSE", 12: "NC1HWC0_C04", 13: "FRACTAL_Z_C04",
    14: "CHWN", 16: "HWCN", 17: "NC1KHKWHWC0", 18: "BN_WEIGHT", 19: "FILTER_HWCK", 26: "MD", 27: "NDHWC",
    28: "FRACTAL_ZZ", 29: "FRACTAL_NZ", 30: "NCDHW", 31: "DHWCN", 32: "NDC1HWC0", 33: "FRACTAL_Z_3D", 34: "CN",
    35: "NC", 39: "FRACTAL_Z_G", 43: "ND_RNN_BIAS", 44: "FRACTAL_ZN_RNN", 47: "NCL", 49: "C1HWC0",
}  # fmt: skip
"""Names of the layouts of axes, by number."""
