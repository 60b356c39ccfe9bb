# SPDX-License-Identifier: Apache-2.0
"""Messages inside the records of W&B as schema tables. Source: the messages of wandb 0.31."""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

SCHEMAS = parse_schemas("""
Config: 1 repeated Item update
Item: 1 string key, 2 repeated string nested_key, 4 bool boolean, 5 int64 integer, 6 double number, 7 string text, 8 string json, 16 string value_json
Stats: 2 Timestamp timestamp, 3 repeated Item item
Timestamp: 1 int64 seconds, 2 int32 nanos
Alert: 1 string title, 2 string text, 3 string level
Exit: 1 int32 exit_code, 2 int32 runtime
Run: 1 string run_id, 2 string entity, 3 string project, 4 Config config, 6 string run_group, 7 string job_type, 8 string display_name, 9 string notes, 10 repeated string tags, 13 string host, 17 Timestamp start_time
Environment: 1 string os, 2 string python, 5 repeated string args, 6 string program, 9 Git git, 18 string gpu_type
Artifact: 4 string type
Git: 1 string remote_url, 2 string commit
""")
