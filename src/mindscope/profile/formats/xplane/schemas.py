# SPDX-License-Identifier: Apache-2.0
"""The messages of an XSpace, and those of an HLO module in it. The tests compare them with what JAX reads."""

from __future__ import annotations

from mindscope.formats.wire import parse_schemas

_TABLE = """
XPlane: 1 int64 id, 2 string name, 3 repeated XLine lines, 4 repeated EventEntry event_metadata, \
5 repeated StatEntry stat_metadata, 6 repeated XStat stats
PlaneName: 2 string name
EventEntry: 1 int64 key, 2 XEventMetadata value
StatEntry: 1 int64 key, 2 XStatMetadata value
XLine: 1 int64 id, 2 string name, 3 int64 timestamp_ns, 4 repeated XEvent events, 11 string display_name
XEvent: 1 int64 metadata_id, 2 int64 offset_ps, 3 int64 duration_ps, 4 repeated XStat stats, 5 int64 num_occurrences
XStat: 1 int64 metadata_id, 2 double double_value, 3 uint64 uint64_value, 4 int64 int64_value, 5 string str_value, \
6 bytes bytes_value, 7 uint64 ref_value
XEventMetadata: 1 int64 id, 2 string name, 4 string display_name, 5 repeated XStat stats
XStatMetadata: 1 int64 id, 2 string name
HloProto: 1 HloModule module
HloModule: 1 string name, 3 repeated HloComputation computations
HloComputation: 2 repeated HloInstruction instructions
HloInstruction: 1 string name, 2 string opcode, 7 OpMetadata metadata
OpMetadata: 1 string op_type, 2 string op_name
"""
SCHEMAS = parse_schemas(_TABLE)

PLANE = SCHEMAS["XPlane"]
HLO = SCHEMAS["HloProto"]
