# SPDX-License-Identifier: Apache-2.0
"""Reasons: English texts that also carry a code and values, so that the page can translate them."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from typing import cast

Value = str | int | float
_SURROGATE = re.compile("[\ud800-\udfff]")

UNCODED = "uncoded"
"""The code of a text without a code of its own."""

TEXTS: Mapping[str, str] = {
    # runs, tags and values
    "run_not_found": "run {run!r} is not below {base}: it has {others} others; reload the list",
    "tag_not_found": "{kind} tag {tag!r} is not in run {run!r}; it may not have been recorded yet",
    "value_not_found": "{kind} {tag!r} of run {run!r} has no value with id {id!r}",
    "debug_source_not_found": "run {run!r} has no debugging data {source!r}",
    "debug_data_not_found": "{detail}",
    "debug_statistics_only": "of row {row} in step {step} only statistics were recorded, not the whole tensor",
    "watchpoint_invalid": "{detail}",
    "profile_not_found": "run {run!r} has no profile {profile!r}",
    "profile_not_read": "profile {profile!r} is not read yet",
    "profile_changed": "profile {profile!r} has changed since it was read",
    "profile_without_timeline": "profile {profile!r} has tables but no timeline",
    "reader_out_of_memory": "{file} needs more memory to be read than the limit of {limit}; raise --reader-memory",
    "reader_too_slow": "{file} was not read within {seconds} seconds",
    "reader_ended": "the process that read {file} ended early ({detail}); the log of the viewer may say why",
    "profile_empty": "{file} is empty",
    "profile_without_events": "{file} has no list traceEvents",
    "profile_other_json": "{file} begins with {start}, want a JSON object with traceEvents, or a list of events",
    "profile_gzip_damaged": "{file}: {detail}; want gzip or JSON",
    "profile_not_json": "{file}: {detail}; want JSON",
    "profile_json_type": "{file} holds a JSON {type}, want an object",
    "profile_columns_missing": "no {wanted}, it has the columns {columns}",
    "profile_tables_missing": "{file} has no table of {source}, such as {tables}",
    "profile_not_sqlite": "{file} is no SQLite database",
    "profile_sqlite_damaged": "{file}: {detail}",
    "profile_table_failed": "{detail}",
    "profile_journal": "it holds changes that are not in the database yet, and is not read",
    "profile_pickle_names": "it names {name}, want plain values only; nothing of it was run",
    "pickle_too_large": "{file} would take about {size} bytes of memory, a file of at most {most} is read",
    "profile_pickle_refers": "it refers to objects outside of it, want plain values only",
    "profile_pickle_damaged": "{file} is no whole pickle: {detail}",
    "profile_not_xla": "{file} is no profile of XLA: it does not begin with a plane",
    "profile_without_planes": "{file} holds no plane: it is empty, or its profiler did not end",
    "profile_of_one_operator": "{file} is of msprof op, which measures a single operator; MindStudio Insight opens it",
    "profile_not_snapshot": "{file} has no segments and no device_traces, want a snapshot of CUDA's memory",
    "profile_rows_skipped": "{count} {count|row|rows} could not be read",
    "profile_rows_left_out": "{count} {count|row is|rows are} left out: only the first {read} fit in "
    "memory; profile fewer steps",
    "profile_file_large": "it has {size} bytes, and at most {most} can be read whole; profile fewer steps",
    "profile_timelines_left_out": "the timeline is of this file only; {count} further ones are left out",
    "profile_several_processes": "it holds {count} processes ({processes}), such as ranks in one file: steps are those "
    "of one of them, tables are sums over all, and work with an id that several of them use is linked to no operator",
    "profile_ranks_merged": "it holds several ranks or runs under one process: {steps} marks of steps repeat a number, "
    "and {overlaps} operators or launches begin in another one of their thread and end after it; only its timeline "
    "is shown",
    "profile_events_repeated": "{count} events repeat others of the same thread, name, time and duration, as in a file "
    "that was merged with itself: each counts once",
    "profile_steps_unmarked": "{before} operators begin before the first marked step and {after} after the last one, "
    "as where the marks of their steps are cut off: they are in the tables and in no step",
    "profile_times_far": "read as microseconds, its times are in the year {year}: they have another unit, such as "
    "nanoseconds, or count from another time, and all times of the profile are wrong by that",
    "profile_times_dense": "read as microseconds, {count} events of one thread begin within {span} ns, which no "
    "program can do: its times have another unit, such as milliseconds or seconds, and all times of the profile are "
    "wrong by that",
    "profile_times_long": "read as microseconds, each of {count} calls of {name} takes {time} us or more, although it "
    "computes nothing: its times have another unit, such as nanoseconds, and all times of the profile are wrong by "
    "that",
    "profile_times_scaled": "its copies last {factor} times as long as their bytes and bandwidth say: its times are "
    "not microseconds, and all times of the profile are wrong by that",
    "profile_kernels_missing": "it has {launches} launches of kernels and {kernels} kernels: its work on devices is "
    "cut off, and times of devices, steps and advice lack it",
    "profile_steps_skipped": "{count} {count|step lacks|steps lack} a point",
    "profile_without_steps": "no row with a step",
    "profile_flops_unknown": "{count} of its {operators} operators are not in the table of operators",
    "profile_file_unreadable": "{reason}",
    "profile_file_failed": "{error}: {detail}",
    "profile_without_part": "profile {profile!r} has no {part}",
    "memory_block_not_found": "profile {profile!r} has no block {block}, it has {blocks}",
    "profile_row_not_found": "profile {profile!r} has no such row",
    "profile_part_missing": "profile {profile} has no {part}: {detail}",
    "profile_column_unknown": "{column!r} is no column here, want one of {columns}",
    "profile_grouping_unknown": "{by!r} is no grouping here, want one of {groups}",
    "profile_texts_unknown": "{column!r} is no column of texts here",
    "profile_pattern": "the regular expression can't be used: {detail}",
    "slice_not_found": "profile {profile!r} has no slice {slice}, it has {slices}",
    "image_not_found": "image {tag!r} of run {run!r} has no picture {picture} with id {id!r}",
    "not_an_image": (
        "image {tag!r} of run {run!r} at step {step}: its bytes at byte {offset} of {file} begin with {start}"
    ),
    "image_empty": "image {tag!r} of run {run!r} at step {step}: it has no bytes, at byte {offset} of {file}",
    "image_truncated": (
        "image {tag!r} of run {run!r} at step {step}: its {size} bytes from byte {offset} of {file} on break off"
    ),
    "image_checksum": (
        "image {tag!r} of run {run!r} at step {step}: checksum of its part {part} at byte {offset} of {file} is {got}, "
        "want {want}"
    ),
    "clip_not_found": "audio {tag!r} of run {run!r} has no clip {clip} with id {id!r}",
    "not_audio": (
        "audio {tag!r} of run {run!r} at step {step}: its bytes at byte {offset} of {file} begin with {start}"
    ),
    "audio_empty": "audio {tag!r} of run {run!r} at step {step}: it has no bytes, at byte {offset} of {file}",
    "audio_truncated": (
        "audio {tag!r} of run {run!r} at step {step}: it breaks off after {size} of {want} bytes, from byte {offset} "
        "of {file} on"
    ),
    "not_a_pr_curve": "PR curve has shape {shape} of {dtype}, want {rows} rows of numbers",
    "file_gone": "{kind} {tag!r} of run {run!r}: its file is gone; refresh the run",
    "file_replaced": "{kind} {tag!r} of run {run!r}: its file was replaced; refresh the run",
    "file_unreadable": "{file}: {reason}; refresh the run",
    "file_shorter": "{file}: it became shorter; refresh the run",
    "unreadable": "{detail}",
    "record_damaged": "record at byte {offset} of {file}: {detail}",
    # what can't be decoded
    "wire_broken": "{message} at byte {byte}: {what}",
    "wire_fields": "{message} has more than {most} fields, so it is no whole file; record it again",
    "value_malformed": "{kind}: {why}",
    "value_cut": (
        "value at bytes {offset} to {end} of {file}: the file now ends at byte {size}; refresh the run to read it again"
    ),
    "field_missing": "{kind} {tag!r}: {field} is not there",
    "scalar_no_float": "scalar {tag!r}: the value is no float",
    "scalar_shape": "scalar {tag!r}: shape is {shape}, want one number",
    "histogram_old": "histogram {tag!r}: it has the form that was given up before version 1",
    "histogram_limits": "histogram has {limits} bucket limits for {counts} counts, want as many",
    "tensor_dtype": "tensor has dtype {dtype}, which no array can hold",
    "tensor_dtype_number": "tensor has dtype number {number}, which is unknown",
    "tensor_bytes": "tensor of {dtype} has {size} bytes, no multiple of {each}",
    "tensor_numbers": "tensor of {dtype} has numbers of another type: {why}",
    "tensor_dimensions": "tensor has {got} dimensions, want at most {most}",
    "tensor_shape": "tensor of shape {shape} has {got} values, want {want}",
    "landscape_shape": "landscape has {z} losses, want one for each of its {x} x {y} points, all of them numbers",
    "graph_dtype": "graph value has dtype {number}, want a number",
    "graph_not_found": "run {run} has no graph {graph}",
    "graph_node_not_found": "graph {graph} has {nodes} nodes, no node {node}",
    "graph_damaged": "{damaged} of {nodes} nodes of graph {name} can't be read to their ends",
    "graph_file_too_large": "{file} has {size} bytes, a graph file of at most {most} is read",
    "graph_content_too_large": "{file} has more than {most} bytes without its weights, the most that is read",
    "graph_too_large": "graph has {count} nodes or inputs of nodes, one of at most {most} is read",
    "graph_cut": "graph {name} breaks off after {nodes} nodes",
    "onnx_not_installed": "the model lacks shapes, and the package onnx, which infers them, is not installed;"
    " install it with: pip install 'mindscope[onnx]'",
    "onnx_model_too_large": "the model lacks shapes, and has {size} bytes without its weights, of at most {most} bytes"
    " they are inferred; save it with the shapes that onnx.shape_inference.infer_shapes_path writes",
    "onnx_inference_failed": "the model lacks shapes, and onnx can't infer them: {detail}; check the model with"
    " onnx.checker.check_model",
    "onnx_inference_ended": "the model lacks shapes, and the process that infers them was ended ({detail}), it may take"
    " 1 GiB of memory and a minute; save it with the shapes that onnx.shape_inference.infer_shapes_path writes",
    "onnx_shapes_unknown": "onnx infers no shape of {count} of {total} operators, the first of them {example};"
    " onnx.shape_inference.infer_shapes with strict_mode=True says why",
    # damages
    "length_checksum": "length checksum is {got}, want {want}",
    "payload_checksum": "payload checksum is {got}, want {want}",
    "record_torn": "length says it ends at byte {end}, the file ended at byte {size}; it contains intact records",
    "record_cut": "it ends after {got} bytes, within the record, and its writer closed the file",
    "damaged_message": "{detail}",
    "file_shrunk": "file became shorter: {size} bytes after {before}; read again from the start",
    "file_exchanged": "file was replaced by another; read again from the start",
    "file_not_readable": "not readable: {reason}; every reload retries",
    # unreadable paths
    "permission_denied": "not read: {reason}",
    "symlink_loop": "not read: {reason}",
    "place_too_deep": "not read: {reason}",
    "place_missing": "not read: {reason}",
    "place_failing": "not read: {reason}",
    "place_no_file": "not read: it is no plain file",
    "dangling_symlink": "not read: the link leads nowhere",
    "link_outside": "link not followed: {target} is outside of {base}",
    "event_file_compressed": "not read: it is a compressed event file",
    "logs_of_wandb": "not read: these are logs of Weights & Biases, in a format of its own",
    "logs_of_aim": "not read: these are logs of Aim, in a format of its own",
    "logs_of_mlflow": "not read: these are logs of MLflow, in a format of its own",
    "logs_of_visualdl": "not read: these are logs of VisualDL, in a format of its own",
    "address_not_read": (
        "{address} is the address of a remote store, and mindscope reads directories: mount it, as with {tool}, or "
        "copy it to this machine, and give that directory"
    ),
    # expressions
    "expression_too_long": "expression has {count} characters, want at most {most}",
    "expression_unreadable": "expression {text!r}: it can't be read: {why}",
    "expression_too_deep": "expression {text!r}: it is nested deeper than {most}",
    "expression_part": (
        "expression {text!r}: {part} is not accepted: want numbers, tags, + - * / // % **, < > == and or not"
    ),
    "expression_comparison": "expression {text!r}: {text} compares with is or in: want < <= > >= == !=",
    "expression_tag_call": 'expression {text!r}: {part} want tag("its name")',
    "expression_function": (
        "expression {text!r}: {part} is no function here: want abs sqrt exp log log10 log2 isnan isinf isfinite of one "
        "number, min and max of two"
    ),
    "expression_part_is_condition": "expression {text!r}: {part} is a condition, want a number",
    "expression_part_is_number": "expression {text!r}: {part} is a number, want a condition such as loss > 2",
    "expression_is_condition": "{text!r} is a condition, want a number such as 1 - acc",
    "expression_is_number": "{text!r} is a number, want a condition such as loss > 2",
    "expression_without_tag": "{text!r} names no tag; write one, in backticks where it is no Python name",
    "expression_unknown_tag": "{text!r}: there is no scalar tag {tag!r}; check the tags",
    "expression_near_tag": "{text!r}: there is no scalar tag {tag!r}; did you mean {near}?",
    "group_empty": "the group has no runs; choose some",
    # lineage: columns and filters
    "column_not_found": "there is no column {name!r}: the table has no columns",
    "column_near": "there is no column {name!r}: did you mean {near}?",
    "column_ambiguous": "{name!r} is the name of several columns: give one of {ids}",
    "filter_column_not_found": ("there is no column {name!r}: the table has no columns (at character {character})"),
    "filter_column_near": "there is no column {name!r}: did you mean {near}? (at character {character})",
    "filter_column_ambiguous": (
        "{name!r} is the name of several columns: give one of {ids} (at character {character})"
    ),
    "filter_too_long": "the filter has {count} characters, want at most {most}",
    "filter_sign": "{sign!r} is not accepted at character {character}",
    "filter_assignment": "use == to compare, = is not accepted at character {character}",
    "filter_text_open": "the text at character {character} has no closing {sign}",
    "filter_column_open": "the column at character {character} has no closing {sign}",
    "filter_too_deep": "the filter is nested deeper than {most}",
    "filter_too_many": "the filter has more than {most} operations",
    "filter_group": "{text!r} at character {character} is no group: want {groups}",
    "filter_word": "{text!r} at character {character}: want {words}",
    "filter_operand": "{text!r} at character {character}: want a column, number, text or list",
    "filter_column_name": (
        '{text!r} at character {character}: want the name of a column in quotes, as in metric["Accuracy"]'
    ),
    "filter_rest": "{text!r} at character {character}: want and, or, or the end",
    "filter_ends_before_word": "the filter ends where it wants {words}",
    "filter_ends_before_operand": "the filter ends where it wants a column, number, text or list",
    "filter_ends_before_column_name": (
        'the filter ends where it wants the name of a column in quotes, as in metric["Accuracy"]'
    ),
    "filter_list_item": "a list holds numbers and texts, not a column or condition, at character {character}",
    "filter_no_condition": "want a condition such as lr < 0.01 at character {character}",
    "filter_condition_compared": (
        "a condition can't be compared, at character {character}; join conditions with and, or"
    ),
    "filter_no_number": "want a number at character {character}",
    # lineage: importance
    "column_custom": "a custom field may be noted after the training, and be a result; name it to analyze it",
    "column_few": "only {count} runs have it and the target, want {want}",
    "column_constant": "constant: every run has {value}",
    "column_constant_or_missing": "constant: {count} of {runs} runs have {value}, the others have none",
    "column_not_finite": "it has no two different finite numbers",
    "column_nearly_unique": "nearly unique: {values} values in {count} runs",
    "importance_few": "{count} runs have a finite {target}, {values} values, want {want} runs and 2 values",
    "importance_no_column": "no column varies",
    "forest_missing": "scikit-learn is not installed, the random forest needs it: pip install 'mindscope[importance]'",
    # lineage: settings files and rows
    "settings_unreadable": "{file}: {reason}; check the file permissions",
    "settings_malformed": "{file}: {detail}; its settings are not in the table",
    "settings_without_names": "{file}: it holds a {type}, want names with values; its settings are not in the table",
    "settings_too_many": "{file}: it holds more than {most} settings; its settings are not in the table",
    "settings_link": ("{file}: it is a link; copy the file beside the event files; its settings are not in the table"),
    "settings_no_file": "{file}: it is no plain file; its settings are not in the table",
    "settings_too_large": "{file}: it has {size} bytes, want at most {most}; its settings are not in the table",
    "row_failed": "run {run!r}: its row can't be read: {error}: {detail}; other runs are complete",
    # slices of tensors
    "slice_parts": "parts of the slice are {count}, want {want}, one for each dimension",
    "slice_unreadable": (
        "dimension {dimension}: {text!r} is no slice; write an index as 3 or -1, or a range as :, 2:8, ::2 or ::-1"
    ),
    "slice_outside": "dimension {dimension}: index {index} is outside of its {size}; take {low} to {high}",
    "slice_empty": "dimension {dimension}: index {index} is outside of its 0; take only :, for it is empty",
    "slice_step": "dimension {dimension}: {text!r} has step 0; take 1 or more, or -1 or less to go backwards",
    "slice_dimensions": (
        "slice leaves {count} dimensions, {dimensions}; a table has two: give one index, as 0, for each of the others"
    ),
    "slice_of_texts": "tensor holds texts, a heat map needs numbers; use the table",
    # annotations
    "stale_record": "another client changed {keys}",
    "annotations_read_only": "{path}: {reason}; make room, or choose a workspace that can be written with --workspace",
    "annotations_busy": "{path}: {reason}; try again, or choose another --workspace",
    "annotations_unusable": "{path}: {reason}; move it away, or choose another --workspace",
    "annotations_stuck": "{path} is damaged ({damage}) and can't be moved: {reason}; move it yourself",
    "annotations_later": "{path} has format {format}, this mindscope writes format {own}; use a later version",
    "annotations_recreated": "the annotations were damaged and created again; the damaged file is {path}",
    "annotations_restored": (
        "the annotations were damaged and restored from their daily copy and intact records; check the latest changes, "
        "then delete {path}"
    ),
    # debugging data
    "debug_file_unreadable": "{file}: {reason}; check the file permissions",
    "debug_file_damaged": "{file}: {detail}",
    "debug_columns_missing": "{file}: its header lacks some of the columns {columns}",
    "debug_entries_left": "{file}: its first {most} entries are read, the others are left out",
    "debug_rows_skipped": "{file}: {count} {count|row|rows} can't be read",
    "flight_records_left": (
        "{count} earlier collectives in the flight records of {ranks} ranks are left out; read fewer ranks together"
    ),
    "debug_files_missing": "{file}: it names {count} files that are not there, such as {first}",
    "debug_tensor_cut": "{file}: a tensor ends at byte {end}, its bytes end at {size}; it was cut",
    "debug_padding": "{file}: statistics of a tensor in the layout {format} count its padding too",
    "log_not_found": "run {run!r} has no such log or message",
    "log_regex_invalid": "{regex!r} is no regular expression: {detail}",
    "debug_sampled": "{file}: it holds the first {count} elements of a tensor, and its statistics are of those",
    # deleting
    "deleting_not_allowed": "this viewer deletes nothing",
    "run_is_live": "run {run!r} is being written",
    "stale_token": "run {run!r}: its files are not those that the token is for",
    "not_deleted": "run {run!r}: {file}: {reason}",
    "link_not_deleted": "run {run!r}: {file}: is a link or no file; delete it yourself",
    # requests
    "invalid_request": "{fields}: {detail}",
    "bad_request": "{request}: {detail}",
    "not_found": "{request}: {detail}",
    "method_not_allowed": "{request}: {detail}",
    "not_json": "{request}: {detail}",
    "server_busy": "{most} other requests wait already",
    "body_too_large": "{request}: its body has {size} bytes or more, want at most {most}",
    "body_too_slow": "{request}: its body did not come within {most} seconds",
    "answer_too_large": "the answer has {size} bytes or more, want at most {most}",
    "answer_too_many": "the answer has more than {most} entries",
    "answer_too_slow": "the answer is not computed within {most} seconds",
    "refused": "{request}: {detail}",
    "foreign_host": "Host header {host!r} names no address of this viewer",
    "internal": "{error}: {detail}",
    UNCODED: "{detail}",
}
"""The English text of each code."""

OS_ERRORS = frozenset(
    "EACCES EPERM EROFS ENOSPC EDQUOT EEXIST ENOENT ENOTDIR EISDIR EIO ESTALE EBUSY EMFILE ENFILE ENAMETOOLONG ELOOP "
    "ETIMEDOUT ENXIO ENODEV EFBIG ENOTEMPTY EHOSTDOWN ENOTCONN".split()
)
"""System errors that the page has translations for."""


class _Values(dict[str, Value]):
    """Values of a text, which also chooses in ``{count|row|rows}``."""

    def __missing__(self, key: str) -> str:
        name, *words = key.split("|")
        if len(words) != 2:
            raise KeyError(key)
        return words[0] if self[name] == 1 else words[1]


class Reason(str):
    """An English text. ``code`` is stable, and one of ``TEXTS``; ``values`` are the values in the text.

    Invalid UTF-8 in file names becomes a replacement character, so that every text can be sent as UTF-8.
    """

    code: str
    values: Mapping[str, Value]

    def __new__(cls, code: str, /, **values: Value) -> Reason:
        """The text of a code. Raises KeyError for an unknown code, or if a value of its text is missing."""
        readable = {name: _readable(value) for name, value in values.items()}
        made = super().__new__(cls, TEXTS[code].format_map(_Values(readable)))
        made.code, made.values = code, readable
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return _of, (self.code, dict(self.values))


def reason_of(error: object) -> Reason:
    """The reason of an error or a text: with its own code, or else ``uncoded``."""
    known = error.args[0] if isinstance(error, Exception) and len(error.args) == 1 else error
    return known if isinstance(known, Reason) else Reason(UNCODED, detail=str(error))


def unforeseen_reason(error: Exception) -> Reason:
    """The reason for an unexpected exception: a bug in our code, or bytes that no test covers."""
    return Reason("internal", error=type(error).__name__, detail=str(error))


def damage_reason(error: Exception) -> Reason:
    """The reason why a message can't be decoded."""
    reason = reason_of(error)
    return Reason("damaged_message", detail=str(error)) if reason.code == UNCODED else reason


def reason_to_json(text: str) -> object:
    """A text as JSON: a list of code and values, or the text itself if it has no code."""
    return [text.code, dict(text.values)] if isinstance(text, Reason) else text


def reason_from_json(state: object) -> str:
    """Restores a text from the result of ``reason_to_json``."""
    if isinstance(state, str):
        return state
    code, values = cast("tuple[str, dict[str, Value]]", state)
    return _of(code, values) if code in TEXTS else code


def os_reason(error: OSError) -> dict[str, Value]:
    """Values of a text for a system error: its ``reason`` in English, and ``errno``, such as ENOSPC."""
    return {"reason": error.strerror or str(error), "errno": errno.errorcode.get(error.errno or 0, "")}


def _readable(value: Value) -> Value:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value


def _of(code: str, values: Mapping[str, Value]) -> Reason:
    return Reason(code, **values)
