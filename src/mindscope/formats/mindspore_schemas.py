# SPDX-License-Identifier: Apache-2.0
"""The messages of MindSpore's event files (proto2, package ``mindspore.irpb``) as schema tables.

Source: the descriptors of MindSpore 2.10.0; the tests compare these tables with them field by field. Six fields are
mindscope extensions, and other readers skip them: ``TensorProto.is_float_exact`` marks ``float_data`` that lost no
precision, ``Value.text`` holds a text, ``Value.exact_scalar_value`` a scalar that float32 can't hold,
``Value.tensor_statistics`` the statistics of all tensors of a step, ``LossLandscape.facts`` says how a landscape was
computed, and ``ParameterProto.part`` is 1 for a weight and 2 for an input of the graph.
"""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

SCHEMAS = parse_schemas("""
Event: 1 double! wall_time, 2 int64 step, 3 string version, 4 GraphProto graph_def, 5 Summary summary, 6 Explain explain
Summary: 1 repeated Value value
Value: 1 string! tag, 3 float scalar_value, 4 Image image, 8 TensorProto tensor, 9 Histogram histogram, 10 LossLandscape loss_landscape, 30 string text, 31 TensorStatistics tensor_statistics, 1001 double exact_scalar_value
Image: 1 int32! height, 2 int32! width, 3 int32! colorspace, 4 bytes! encoded_image
Histogram: 1 repeated bucket buckets, 2 int64 nan_count, 3 int64 pos_inf_count, 4 int64 neg_inf_count, 5 double max, 6 double min, 7 double sum, 8 int64 count
bucket: 1 double! left, 2 double! width, 3 int64! count
LossLandscape: 1 Point landscape, 2 LossPath loss_path, 3 Metadata metadata, 4 Point convergence_point, 1000 LandscapeFacts facts
LandscapeFacts: 1 string method, 2 packed double path_distances, 3 packed double path_lengths, 4 packed double explained_variance, 5 bytes evaluated, 6 string normalization, 7 int64 num_samples, 8 int64 seed, 9 string evaluation, 10 string dtype, 11 double dtype_error, 12 double seconds, 13 int64 points_done, 14 int64 points_total, 15 double seconds_left, 16 string degenerate, 17 string failure, 18 string plane_id, 19 double weight_norm, 20 packed double direction_products
TensorStatistics: 1 uint64 table, 2 int64 rank, 3 int64 first_tensor, 4 bytes tensors, 5 string facts, 6 int64 rows, 7 repeated StatisticsColumn columns
StatisticsColumn: 1 string! name, 2 string! dtype, 3 bool is_deflated, 4 bytes! data
Point: 1 TensorProto x, 2 TensorProto y, 3 TensorProto z
LossPath: 1 repeated int32 intervals, 2 Point points
Metadata: 1 string decomposition, 2 string unit, 3 int32 step_per_epoch
TensorProto: 1 repeated int64 dims, 2 enum data_type, 3 packed float float_data, 4 packed int32 int32_data, 5 packed int64 int64_data, 6 packed double double_data, 7 packed uint64 uint64_data, 8 bytes raw_data, 1000 bool is_float_exact

Explain: 1 int32 sample_id, 2 string image_path, 3 repeated int32 ground_truth_label, 4 Inference inference, 5 repeated Explanation explanation, 6 repeated Benchmark benchmark, 7 ExplainMetadata metadata, 8 string status, 9 repeated Hoc hoc
Inference: 1 repeated float ground_truth_prob, 2 repeated int32 predicted_label, 3 repeated float predicted_prob, 4 repeated float ground_truth_prob_sd, 5 repeated float ground_truth_prob_itl95_low, 6 repeated float ground_truth_prob_itl95_hi, 7 repeated float predicted_prob_sd, 8 repeated float predicted_prob_itl95_low, 9 repeated float predicted_prob_itl95_hi
Explanation: 1 string explain_method, 2 int32 label, 3 string heatmap_path
Benchmark: 1 string benchmark_method, 2 string explain_method, 3 float total_score, 4 repeated float label_score
ExplainMetadata: 1 repeated string label, 2 repeated string explain_method, 3 repeated string benchmark_method
Hoc: 1 int32 label, 2 string mask, 3 repeated HocLayer layer
HocLayer: 1 float prob, 2 repeated int32 box

LineageEvent: 1 double! wall_time, 2 int64 step, 3 string version, 6 TrainLineage train_lineage, 7 EvaluationLineage evaluation_lineage, 9 DatasetGraph dataset_graph, 10 UserDefinedInfo user_defined_info
TrainLineage: 1 HyperParameters hyper_parameters, 2 TrainDataset train_dataset, 3 Algorithm algorithm, 4 Model model
HyperParameters: 1 string optimizer, 2 float learning_rate, 3 string loss_function, 4 int32 epoch, 5 string parallel_mode, 6 int32 device_num, 8 int32 batch_size
TrainDataset: 1 string train_dataset_path, 2 int32 train_dataset_size
Algorithm: 1 string network, 2 float loss
Model: 3 string path, 4 int64 size
EvaluationLineage: 2 string metric, 3 ValidDataset valid_dataset
ValidDataset: 1 string valid_dataset_path, 2 int32 valid_dataset_size
UserDefinedInfo: 1 repeated UserDefinedInfo user_info, 2 map<string,UserDefinedInfo> map_dict, 3 map<string,int32> map_int32, 4 map<string,string> map_str, 5 map<string,double> map_double, 1001 map<string,bool> map_bool, 1002 map<string,int64> map_int64
DatasetGraph: 1 repeated DatasetGraph children, 2 OperationParameter parameter, 3 repeated Operation operations, 4 Operation sampler
Operation: 1 OperationParameter operationParam, 2 repeated int32 size, 3 repeated float weights
OperationParameter: 1 map<string,string> mapStr, 2 map<string,StrList> mapStrList, 3 map<string,bool> mapBool, 4 map<string,int32> mapInt, 5 map<string,double> mapDouble
StrList: 1 repeated string strValue

ModelProto: 1 int64 ir_version, 2 string domain, 3 int64 model_version, 4 GraphProto graph, 5 OperatorSetProto metadata_operators
OperatorSetProto: 1 repeated OperatorProto operators, 2 string summary
OperatorProto: 1 string name, 2 bytes config, 3 bytes obj_info
GraphProto: 1 repeated NodeProto node, 2 string name, 3 repeated ParameterProto parameters, 4 repeated OutputProto outputs, 5 repeated NamedValueProto const_vals
NodeProto: 1 repeated InputProto input, 2 string name, 3 string op_type, 4 string scope, 5 repeated AttributeProto attribute, 6 TypeProto output_type, 7 uint64 output_i, 8 string full_name, 10 string instance_name
InputProto: 1 string name, 2 enum type
ParameterProto: 1 string name, 2 TypeProto type, 3 ValueProto default_val, 60 int32 part
OutputProto: 1 string name, 2 TypeProto type
AttributeProto: 1 string name, 2 ValueProto value
NamedValueProto: 1 string key, 2 ValueProto value
TypeProto: 1 enum data_type, 2 Tensor tensor_type, 3 Sequence sequence_type
Tensor: 1 enum elem_type, 2 TensorShapeProto shape
Sequence: 1 repeated TypeProto elem_types
TensorShapeProto: 1 repeated Dimension dim
Dimension: 1 int64 size, 2 string name
ValueProto: 1 enum dtype, 2 bool bool_val, 3 int64 int_val, 4 uint64 uint_val, 5 float float_val, 6 double double_val, 7 string str_val, 8 TensorProto tensor_val, 9 GraphProto graph, 10 repeated bool bool_vals, 11 repeated int64 int_vals, 12 repeated uint64 uint_vals, 13 repeated float float_vals, 14 repeated double double_vals, 15 repeated string str_vals, 16 repeated TensorProto tensor_vals, 17 repeated GraphProto graphs, 18 repeated ValueProto values, 19 repeated NamedValueProto dict_val, 20 TypeProto type_val
""")

WEIGHT, INPUT = 1, 2
"""``ParameterProto.part``."""

EVENT = SCHEMAS["Event"]
SUMMARY = SCHEMAS["Summary"]
VALUE = SCHEMAS["Value"]
TENSOR = SCHEMAS["TensorProto"]
TENSOR_STATISTICS = SCHEMAS["TensorStatistics"]
EXPLAIN = SCHEMAS["Explain"]
LINEAGE_EVENT = SCHEMAS["LineageEvent"]
TRAIN_LINEAGE = SCHEMAS["TrainLineage"]
EVALUATION_LINEAGE = SCHEMAS["EvaluationLineage"]
USER_DEFINED_INFO = SCHEMAS["UserDefinedInfo"]
DATASET_GRAPH = SCHEMAS["DatasetGraph"]
GRAPH = SCHEMAS["GraphProto"]
MODEL = SCHEMAS["ModelProto"]

DATA_TYPES = (
    "UNDEFINED BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT16 FLOAT32 FLOAT64 STRING TENSOR GRAPH "
    "BOOLS INTS8 INTS16 INTS32 INTS64 UINTS8 UINTS16 UINTS32 UINTS64 FLOATS16 FLOATS32 FLOATS64 STRINGS TENSORS GRAPHS "
    "TUPLE LIST DICT NONE SYM_INST BASE_INT BASE_UINT BASE_FLOAT TYPE ANY REFKEY REF COMPLEX64 COMPLEX128 BASE_COMPLEX "
    "BFLOAT16 BFLOATS16 INT4 SLICE"
).split()
"""Names of the DataType enumeration, by number, without the prefix ``DT_``."""

SOURCE = "source"
"""The attribute of a node, written by mindscope, with the line of the program that calls the operation."""
