# SPDX-License-Identifier: Apache-2.0
"""Messages inside the records of SwanLab as schema tables. Source: the messages of swanlab 0.10."""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

SCHEMAS = parse_schemas("""
Timestamp: 1 int64 seconds, 2 int32 nanos
Start: 1 string project, 2 string workspace, 4 string name, 5 string description, 6 repeated string tags, 7 string group, 8 string job_type, 10 string id, 12 Timestamp started_at
Finish: 1 int32 state, 2 string error, 3 Timestamp finished_at
Column: 1 int32 column_class, 2 int32 column_type, 3 string column_key
Scalar: 1 string key, 2 int64 step, 4 Timestamp timestamp, 5 Number value
Number: 1 double number
Media: 1 string key, 2 int64 step, 3 int32 type, 4 Timestamp timestamp, 5 Items value
Items: 1 repeated Item items
Item: 1 string filename, 4 string caption
Log: 1 string line, 2 int32 level, 3 Timestamp timestamp
Save: 1 string name, 5 int32 type
""")
