# SPDX-License-Identifier: Apache-2.0
"""The messages of TensorBoard's event files (proto3) and of its plugins as schema tables.

Source: the descriptors of TensorBoard 2.21; the tests compare these tables with them field by field.
"""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

_TENSORS = """
TensorProto: 1 enum dtype, 2 TensorShapeProto tensor_shape, 3 int32 version_number, 4 bytes tensor_content, 5 packed float float_val, 6 packed double double_val, 7 packed int32 int_val, 8 repeated bytes string_val, 9 packed float scomplex_val, 10 packed int64 int64_val, 11 packed bool bool_val, 12 packed double dcomplex_val, 13 packed int32 half_val, 16 packed uint32 uint32_val, 17 packed uint64 uint64_val, 18 bytes float8_val
TensorShapeProto: 2 repeated Dim dim, 3 bool unknown_rank
Dim: 1 int64 size, 2 string name
"""

EVENT_SCHEMAS = parse_schemas(
    _TENSORS
    + """
Event: 1 double wall_time, 2 int64 step, 3 string file_version, 4 bytes graph_def, 5 Summary summary, 6 LogMessage log_message, 7 SessionLog session_log, 8 TaggedRunMetadata tagged_run_metadata, 9 bytes meta_graph_def, 10 SourceMetadata source_metadata
Summary: 1 repeated Value value
Value: 1 string tag, 2 float simple_value, 3 bytes obsolete_old_style_histogram, 4 Image image, 5 HistogramProto histo, 6 Audio audio, 7 string node_name, 8 TensorProto tensor, 9 SummaryMetadata metadata
SummaryMetadata: 1 PluginData plugin_data, 2 string display_name, 3 string summary_description, 4 enum data_class
PluginData: 1 string plugin_name, 2 bytes content
Image: 1 int32 height, 2 int32 width, 3 int32 colorspace, 4 bytes encoded_image_string
HistogramProto: 1 double min, 2 double max, 3 double num, 4 double sum, 5 double sum_squares, 6 packed double bucket_limit, 7 packed double bucket
Audio: 1 float sample_rate, 2 int64 num_channels, 3 int64 length_frames, 4 bytes encoded_audio_string, 5 string content_type
LogMessage: 1 enum level, 2 string message
SessionLog: 1 enum status, 2 string checkpoint_path, 3 string msg
TaggedRunMetadata: 1 string tag, 2 bytes run_metadata
SourceMetadata: 1 string writer
"""
)

GRAPH_SCHEMAS = parse_schemas(
    _TENSORS
    + """
GraphDef: 1 repeated NodeDef node, 2 FunctionDefLibrary library, 3 int32 version, 4 VersionDef versions
NodeDef: 1 string name, 2 string op, 3 repeated string input, 4 string device, 5 map<string,AttrValue> attr
AttrValue: 1 ListValue list, 2 bytes s, 3 int64 i, 4 float f, 5 bool b, 6 enum type, 7 TensorShapeProto shape, 8 TensorProto tensor, 9 string placeholder, 10 NameAttrList func
ListValue: 2 repeated bytes s, 3 packed int64 i, 4 packed float f, 5 packed bool b, 6 packed enum type, 7 repeated TensorShapeProto shape, 8 repeated TensorProto tensor, 9 repeated NameAttrList func
NameAttrList: 1 string name, 2 map<string,AttrValue> attr
VersionDef: 1 int32 producer, 2 int32 min_consumer, 3 packed int32 bad_consumers
FunctionDefLibrary: 1 repeated FunctionDef function, 2 repeated GradientDef gradient
FunctionDef: 1 OpDef signature, 3 repeated NodeDef node_def, 4 map<string,string> ret, 5 map<string,AttrValue> attr, 6 map<string,string> control_ret
OpDef: 1 string name, 2 repeated ArgDef input_arg, 3 repeated ArgDef output_arg, 20 repeated string control_output
ArgDef: 1 string name, 2 string description, 3 enum type, 4 string type_attr, 5 string number_attr, 6 string type_list_attr
GradientDef: 1 string function_name, 2 string gradient_func
"""
)

HPARAMS_SCHEMAS = parse_schemas("""
HParamsPluginData: 1 int32 version, 2 Experiment experiment, 3 SessionStartInfo session_start_info, 4 SessionEndInfo session_end_info
Experiment: 1 string description, 2 string user, 3 double time_created_secs, 4 repeated HParamInfo hparam_infos, 5 repeated MetricInfo metric_infos, 6 string name
HParamInfo: 1 string name, 2 string display_name, 3 string description, 4 enum type, 5 ListValue domain_discrete, 6 Interval domain_interval
ListValue: 1 repeated Value values
Value: 1 enum null_value, 2 double number_value, 3 string string_value, 4 bool bool_value, 5 Struct struct_value, 6 ListValue list_value
Struct: 1 map<string,Value> fields
Interval: 1 double min_value, 2 double max_value
MetricInfo: 1 MetricName name, 3 string display_name, 4 string description, 5 enum dataset_type
MetricName: 1 string group, 2 string tag
SessionStartInfo: 1 map<string,Value> hparams, 2 string model_uri, 3 string monitor_url, 4 string group_name, 5 double start_time_secs
SessionEndInfo: 1 enum status, 2 double end_time_secs
""")

LAYOUT_SCHEMAS = parse_schemas("""
Layout: 1 int32 version, 2 repeated Category category
Category: 1 string title, 2 repeated Chart chart, 3 bool closed
Chart: 1 string title, 2 MultilineChartContent multiline, 3 MarginChartContent margin
MultilineChartContent: 1 repeated string tag
MarginChartContent: 1 repeated Series series
Series: 1 string value, 2 string lower, 3 string upper
""")

EVENT = EVENT_SCHEMAS["Event"]
SUMMARY = EVENT_SCHEMAS["Summary"]
VALUE = EVENT_SCHEMAS["Value"]
METADATA = EVENT_SCHEMAS["SummaryMetadata"]
LOG_MESSAGE = EVENT_SCHEMAS["LogMessage"]
SESSION_LOG = EVENT_SCHEMAS["SessionLog"]
TAGGED_RUN_METADATA = EVENT_SCHEMAS["TaggedRunMetadata"]
TENSOR = EVENT_SCHEMAS["TensorProto"]
GRAPH = GRAPH_SCHEMAS["GraphDef"]
HPARAMS = HPARAMS_SCHEMAS["HParamsPluginData"]
LAYOUT = LAYOUT_SCHEMAS["Layout"]
