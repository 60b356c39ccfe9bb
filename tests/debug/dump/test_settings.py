# SPDX-License-Identifier: Apache-2.0
"""The configuration of a dump: each documented version, what is forced, what is refused."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.debug.dump.iterations import parse_iterations
from mindscope.debug.dump.kernels import parse_kernels
from mindscope.debug.dump.settings import DumpSettings, dump_settings, read_dump_config
from mindscope.errors import SettingsError

COMMON = {
    "dump_mode": 0, "path": "/absolute/path", "net_name": "ResNet-50_x", "iteration": "0|5-8|100-120",
    "input_output": 0, "kernels": ["Default/Conv-op12"], "support_device": [0, 1],
}  # fmt: skip


def made(e2e: Any = None, early: Any = None, **common: Any) -> DumpSettings:
    config: dict[str, Any] = {"common_dump_settings": COMMON | common}
    if e2e is not None:
        config["e2e_dump_settings"] = e2e
    if early is not None:
        config["async_dump_settings"] = early
    settings = dump_settings(config, {})
    assert settings is not None
    return settings


def test_newest_documented_file_is_read(tmp_path: Path) -> None:
    config = {
        "common_dump_settings": COMMON
        | {
            "saved_data": "full", "op_debug_mode": 3, "overflow_number": 7, "initial_iteration": 10,
            "statistic_category": ["max", "nan count", "md5"],
        },
        "e2e_dump_settings": {
            "enable": True, "trans_flag": True, "stat_calc_mode": "host", "device_stat_precision_mode": "low",
            "sample_mode": 1, "sample_num": 50, "save_kernel_args": True,
        },
    }  # fmt: skip
    file = tmp_path / "data_dump.json"
    file.write_text(json.dumps(config), "utf-8")
    got = read_dump_config(file, {})
    assert got is not None
    assert (got.content, got.directory, got.net_name) == (file.read_bytes(), Path("/absolute/path"), "ResNet-50_x")
    assert (got.op_debug_mode, got.overflow_number, got.initial_iteration) == (3, 7, 10)
    assert (got.has_tensors, got.has_statistics, got.categories) == (True, True, ("max", "nan count", "md5"))
    assert (got.is_synchronous, got.sample_size, got.has_kernel_args, got.is_low_precision) == (True, 50, True, True)
    assert got.devices == {0, 1}


@pytest.mark.parametrize(("e2e", "early", "is_synchronous"), [
    ({"enable": True, "trans_flag": False}, None, True), ({"enable": False, "trans_flag": False}, None, False),
    (None, None, False), ({}, None, True),
    ({"enable": True, "trans_flag": False}, {"enable": True, "op_debug_mode": 0}, True),
    ({"enable": False, "trans_flag": False}, {"enable": True, "op_debug_mode": 0}, False),
])  # fmt: skip
def test_way_of_writing_follows_both_objects(e2e: Any, early: Any, is_synchronous: bool) -> None:
    assert made(e2e, early).is_synchronous is is_synchronous


def test_early_file_with_both_switches_off_dumps_nothing() -> None:
    config = {"common_dump_settings": COMMON, "async_dump_settings": {"enable": False},
              "e2e_dump_settings": {"enable": False, "trans_flag": False}}  # fmt: skip
    assert dump_settings(config, {}) is None


def test_early_file_has_an_integer_iteration_and_the_debug_mode_elsewhere() -> None:
    early = made(early={"enable": True, "op_debug_mode": 2}, iteration=0)
    assert early.op_debug_mode == 3
    assert all(number in early.iterations for number in (0, 1, 10**6))
    third = made(iteration=3).iterations
    assert [number for number in range(9) if number in third] == [3]


def test_debug_modes_force_other_settings() -> None:
    overflow = made(op_debug_mode=1, dump_mode=1, input_output=2)
    assert (overflow.op_debug_mode, overflow.dump_mode, overflow.has_inputs, overflow.has_outputs) == (3, 0, True, True)
    failures = made({"sample_mode": 1}, op_debug_mode=4, dump_mode=2, iteration="7", saved_data="statistic")
    assert (failures.dump_mode, failures.sample_size, failures.has_tensors, failures.has_statistics) == (
        0, None, True, False,
    )  # fmt: skip
    assert 0 in failures.iterations


def test_statistics_are_of_the_device_only_without_tensors() -> None:
    on_device = {"enable": True, "stat_calc_mode": "device"}
    assert made(on_device, saved_data="statistic").is_device_statistic
    assert not made(on_device, saved_data="full").is_device_statistic
    assert not made(on_device | {"enable": False}, saved_data="statistic", op_debug_mode=3).is_device_statistic


def test_path_comes_from_file_environment_or_argument() -> None:
    config: Any = {"common_dump_settings": {key: value for key, value in COMMON.items() if key != "path"}}
    got = dump_settings(config, {"MS_DIAGNOSTIC_DATA_PATH": "/diagnosis"})
    assert got is not None
    assert got.directory == Path("/diagnosis/debug_dump")
    with pytest.raises(SettingsError, match=r"common_dump_settings.path in .*MS_DIAGNOSTIC_DATA_PATH"):
        dump_settings(config, {})
    given = dump_settings(config, {}, "/my runs/a.b")
    assert given is not None
    assert given.directory == Path("/my runs/a.b")


@pytest.mark.parametrize("key", [key for key in COMMON if key != "path"])
def test_missing_entry_is_named(key: str) -> None:
    config: Any = {"common_dump_settings": {name: value for name, value in COMMON.items() if name != key}}
    with pytest.raises(SettingsError, match=rf"common_dump_settings\.{key} in .* is missing"):
        dump_settings(config, {})


@pytest.mark.parametrize(("key", "value"), [
    ("dump_mode", 3), ("dump_mode", True), ("dump_mode", "0"), ("dump_mode", -1), ("path", "relative"),
    ("path", "/with.dot"), ("path", "/with space"), ("path", "/ü"), ("path", 1), ("net_name", ""), ("net_name", "a/b"),
    ("net_name", "a\n"), ("iteration", ""), ("iteration", "a"), ("iteration", "1 |2"), ("iteration", -1),
    ("iteration", True), ("iteration", "1\n"), ("saved_data", "tensors"), ("input_output", 3), ("kernels", "Conv2D"),
    ("kernels", [1]), ("kernels", ["name-regex((?=a))"]), ("kernels", ["name-regex(()"]),
    ("kernels", ["name-regex(a)|(b)"]), ("support_device", [-1]),
    ("support_device", [True]), ("support_device", 0), ("op_debug_mode", 5), ("overflow_number", 1),
    ("statistic_category", ["maximum"]), ("statistic_category", "max"), ("initial_iteration", -1),
    ("file_format", "pt"), ("disk_limit_mb", 0),
])  # fmt: skip
def test_invalid_entry_is_named(key: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=rf"common_dump_settings\.{key}[\[ ].*want"):
        made(**{key: value})


@pytest.mark.parametrize(("key", "value"), [
    ("enable", 1), ("trans_flag", "no"), ("stat_calc_mode", "gpu"), ("device_stat_precision_mode", ""),
    ("sample_mode", 2), ("sample_num", 0), ("save_kernel_args", 0),
])  # fmt: skip
def test_invalid_entry_of_e2e_is_named(key: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=rf"e2e_dump_settings\.{key} .*want"):
        made({key: value})


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"1", b"{}", b"\xff", b"[" * 100_000, b'{"common_dump_settings": []}']
)
def test_file_that_is_no_configuration_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "data_dump.json"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=re.escape("data_dump.json")):
        read_dump_config(file, {})
    with pytest.raises(SettingsError, match=r"missing\.json"):
        read_dump_config(tmp_path / "missing.json", {})


@given(st.sampled_from(sorted(COMMON)), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)
))  # fmt: skip
def test_any_value_is_read_or_refused(key: str, value: Any) -> None:
    config = {"common_dump_settings": copy.deepcopy(COMMON) | {key: value}}
    message = ""
    try:
        dump_settings(config, {})
    except SettingsError as error:
        message = str(error)
    assert not message or key in message or "MS_DIAGNOSTIC_DATA_PATH" in message


PART = st.from_regex(r"\A[0-9]{0,3}(-[0-9]{0,3}){0,3}\Z")


@given(st.lists(PART, min_size=1, max_size=5).map("|".join).filter(bool), st.integers(0, 1000))
def test_iterations_are_what_their_text_says(text: str, number: int) -> None:
    is_wanted = False
    for part in text.split("|"):
        ends = part.split("-")
        if len(ends) == 1 and ends[0]:
            is_wanted |= number == int(ends[0])
        elif len(ends) == 2 and all(ends):
            is_wanted |= int(ends[0]) <= number <= int(ends[1])
    selected = parse_iterations(text, "iteration")
    assert (number in selected) is is_wanted
    assert selected.last is not None
    assert not is_wanted or number <= selected.last


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3-1", "'3-1', of which '3-1' selects no iteration, so nothing is dumped"),
        ("-1", "'-1' selects no iteration, so nothing is dumped"),
        ("0|5-|7", "'0|5-|7', of which '5-' selects no iteration; want"),
        ("0|5-8", ""),
    ],
)
def test_part_that_selects_no_iteration_is_named(text: str, words: str, caplog: pytest.LogCaptureFixture) -> None:
    parse_iterations(text, "iteration")
    assert words in caplog.text
    assert bool(words) is bool(caplog.records)


def test_number_of_any_length_is_no_error() -> None:
    assert 9 not in parse_iterations("9" * 5000, "iteration")


CONVOLUTION = "Default/network-WithLossCell/_backbone-AlexNet/conv3-Conv2d/Conv2D-op12"


@pytest.mark.parametrize(("entry", "is_selected"), [
    (CONVOLUTION, True), (CONVOLUTION[:-1], False), ("Conv2D-op12", False), ("conv", True), ("Conv2D", True),
    ("network", False), ('"Conv2D"', True), (" conv2d ", True), ("name-regex(Default/.*)", True),
    ("name-regex(.*AlexNet.*)", True), ("name-regex(AlexNet)", False), (r"name-regex(.*-op\d+)", True),
    ("name-regex((a*)*b|Default/.+)", True), ("", False),
])  # fmt: skip
def test_operators_are_selected_by_name_type_and_expression(entry: str, is_selected: bool) -> None:
    kernels = parse_kernels([entry], "kernels")
    assert kernels.selects(CONVOLUTION) is is_selected
    assert kernels.selects(CONVOLUTION) is is_selected
    assert bool(kernels.unmatched) is not is_selected


def test_empty_list_selects_every_operator() -> None:
    assert parse_kernels([], "kernels").selects("anything")
