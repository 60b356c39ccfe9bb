# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a sweep: the keys of W&B, and ``pruner`` and ``seed``, which W&B lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mindscope.artifacts.yaml_text import key_lines, parse_yaml
from mindscope.errors import FormatError, UsageError
from mindscope.sweep.parameters import Path as KeyPath
from mindscope.sweep.parameters import Spaces, SweepKeyError, combinations, spaces_of, unknown_key

METHODS = ("grid", "random", "bayes", "tpe", "gp", "cmaes", "qmc")
PRUNERS = ("none", "median", "hyperband", "successive_halving", "percentile", "patient", "threshold")
DEFAULT_COMMAND = ("${env}", "${interpreter}", "${program}", "${args}")
MOST_BYTES = 1 << 20
_KEYS = (
    "program", "command", "method", "metric", "parameters", "early_terminate", "run_cap", "name", "description",
    "pruner", "seed",
)  # fmt: skip
_HARMLESS = ("project", "entity")
_WITH_METRIC = ("bayes", "tpe", "gp", "cmaes")
_OLD_KEYS = {"target": "metric", "tuner": "method", "summary_base_dir": "--dir on the command line"}
_PRUNER_KEYS: Mapping[str, type] = {
    "type": str, "min_iter": int, "max_iter": int, "eta": int, "s": int, "strict": bool, "percentile": float,
    "patience": int, "lower": float, "upper": float, "startup_trials": int, "warmup": int,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Metric:
    """What trials are compared by: the last value of a scalar. At ``target``, the sweep ends."""

    name: str
    is_maximized: bool = False
    target: float | None = None

    def reaches_target(self, value: float) -> bool:
        """Return whether a value is as good as the target, if there is one."""
        if self.target is None:
            return False
        return value >= self.target if self.is_maximized else value <= self.target


@dataclass(frozen=True, slots=True)
class SweepConfig:
    """A sweep. ``notes`` say which keys of its file have no effect."""

    path: Path
    name: str
    method: str
    spaces: Spaces
    metric: Metric | None = None
    program: str | None = None
    command: tuple[str, ...] = DEFAULT_COMMAND
    pruner: Mapping[str, Any] | None = None
    run_cap: int | None = None
    description: str = ""
    seed: int | None = None
    notes: tuple[str, ...] = ()


def read_config(path: Path) -> SweepConfig:
    """Read a file. Raises UsageError that names the file, the line and the remedy."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UsageError(f"{path} has more than {MOST_BYTES} bytes, want the file of a sweep")
        text = data.decode("utf-8")
        value = parse_yaml(text)
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}; give the YAML file of a sweep") from None
    except (FormatError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no YAML: {error}; correct it") from None
    try:
        return config_of(value, path)
    except SweepKeyError as error:
        raise UsageError(f"{path}, line {_line(key_lines(text), error.path)}: {error}") from None


def _line(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, else of the nearest one above it."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 1)


def config_of(value: Any, path: Path) -> SweepConfig:
    """Return the sweep of the value of a YAML file. Raises SweepKeyError."""
    if not isinstance(value, Mapping):
        raise SweepKeyError((), f"it holds {type(value).__name__}, want keys such as program, method and parameters")
    given = {key: one for key, one in cast("Mapping[str, Any]", value).items() if one is not None}
    for key in given:
        if key not in _KEYS and key not in _HARMLESS:
            raise SweepKeyError((key,), unknown_key(key, _KEYS, _OLD_KEYS))
    config = SweepConfig(
        path=path,
        name=_directory_name(given, path),
        method=_one_of(given, "method", METHODS),
        spaces=spaces_of(given.get("parameters")),
        metric=_metric(given),
        program=_typed(given, "program", str),
        command=_command(given),
        pruner=_pruner(given),
        run_cap=_count(given, "run_cap"),
        description=_typed(given, "description", str) or "",
        seed=_typed(given, "seed", int),
        notes=tuple(f"{key} has no effect: runs stay on this machine" for key in _HARMLESS if key in given),
    )
    _check(config)
    return config


def _check(config: SweepConfig) -> None:
    if "${program}" in config.command and config.program is None:
        raise SweepKeyError((), "it has no program: give program: train.py, or a command without ${program}")
    if config.metric is None and (config.method in _WITH_METRIC or config.pruner is not None):
        what = f"method: {config.method}" if config.method in _WITH_METRIC else "a pruner"
        raise SweepKeyError(("method",), f"{what} needs a metric: give metric with name and goal")
    if config.method == "grid":
        next(combinations(config.spaces))


def _directory_name(given: Mapping[str, Any], path: Path) -> str:
    name = _typed(given, "name", str) or path.stem
    plain = re.sub(r"[^\w.\- ]+", "-", name).strip(". -")[:80]
    if not plain:
        raise SweepKeyError(("name",), f"name is {name[:80]!r}, want letters, since a directory gets it")
    return plain


def _metric(given: Mapping[str, Any]) -> Metric | None:
    if "metric" not in given:
        return None
    metric = _mapping(given, "metric", ("name", "goal", "target"))
    name = _typed(metric, "name", str, ("metric",))
    if not name:
        raise SweepKeyError(("metric",), "metric has no name: give the tag of a scalar")
    goal = _one_of({"goal": "minimize", **metric}, "goal", ("minimize", "maximize"), ("metric",))
    return Metric(name, goal == "maximize", _typed(metric, "target", float, ("metric",)))


def _command(given: Mapping[str, Any]) -> tuple[str, ...]:
    command = given.get("command", DEFAULT_COMMAND)
    if isinstance(command, str):
        text = "command is a text, want a list: one line '- WORD' for each word, since no shell divides it"
        raise SweepKeyError(("command",), text)
    listed = cast("list[Any]", command) if isinstance(command, (list, tuple)) else []
    if not listed or not all(isinstance(word, (str, int, float)) for word in listed):
        raise SweepKeyError(("command",), "command is no list of words: give '- python' and so on")
    words = tuple(map(str, listed))
    if any("\0" in word for word in words):
        raise SweepKeyError(("command",), "command has a word with a zero byte: leave it out")
    return words


def _pruner(given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the keys of a pruner with its ``type``; None without one."""
    keys = [key for key in ("early_terminate", "pruner") if key in given]
    if len(keys) == 2:
        raise SweepKeyError(("pruner",), "pruner and early_terminate are two pruners: keep one of them")
    if not keys:
        return None
    key = keys[0]
    spec = {"type": given[key]} if isinstance(given[key], str) else _mapping(given, key, tuple(_PRUNER_KEYS))
    pruner = {name: _typed(spec, name, kind, (key,)) for name, kind in _PRUNER_KEYS.items() if name in spec}
    pruner["type"] = _one_of(spec, "type", ("hyperband",) if key == "early_terminate" else PRUNERS, (key,))
    _check_pruner(pruner, key)
    if key == "early_terminate":
        pruner["type"] = "successive_halving"  # what W&B calls hyperband has one bracket
    return None if pruner["type"] == "none" else pruner


def _check_pruner(pruner: Mapping[str, Any], key: str) -> None:
    for name, least in (("min_iter", 1), ("max_iter", 1), ("eta", 2), ("s", 1), ("startup_trials", 0), ("warmup", 0)):
        if pruner.get(name, least) < least:
            raise SweepKeyError((key, name), f"{name} is {pruner[name]}, want at least {least}")
    if key == "early_terminate" and ("min_iter" in pruner) == ("max_iter" in pruner):
        raise SweepKeyError((key,), "early_terminate needs either min_iter, or max_iter and s")
    if "max_iter" in pruner and key == "early_terminate" and "s" not in pruner:
        raise SweepKeyError((key, "max_iter"), "max_iter needs s, the number of brackets")
    if pruner["type"] == "threshold" and "lower" not in pruner and "upper" not in pruner:
        raise SweepKeyError((key,), "threshold needs lower or upper")


def _mapping(given: Mapping[str, Any], key: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    value = given[key]
    if not isinstance(value, Mapping):
        raise SweepKeyError((key,), f"{key} is {_short(value)}, want a mapping with {', '.join(keys)}")
    spec = cast("Mapping[str, Any]", value)
    for inner in spec:
        if inner not in keys:
            raise SweepKeyError((key, inner), unknown_key(inner, keys, {"group": "nothing"} if key == "metric" else {}))
    return spec


def _one_of(given: Mapping[str, Any], key: str, values: tuple[str, ...], path: KeyPath = ()) -> str:
    value = given.get(key)
    if value not in values:
        is_given = f"{key} is {_short(value)}" if key in given else f"it has no {key}"
        raise SweepKeyError((*path, key), f"{is_given}, want one of {', '.join(values)}")
    return cast(str, value)


def _typed(given: Mapping[str, Any], key: str, kind: Callable[..., Any], path: KeyPath = ()) -> Any:
    value = given.get(key)
    if value is None:
        return None
    wanted = (int, float) if kind is float else kind
    is_right = isinstance(value, cast(Any, wanted)) and (kind is bool or not isinstance(value, bool))
    if not is_right or (kind is float and not abs(value) < 1e300):
        names: dict[Any, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
        raise SweepKeyError((*path, key), f"{key} is {_short(value)}, want {names[kind]}")
    return value


def _count(given: Mapping[str, Any], key: str) -> int | None:
    count = _typed(given, key, int)
    if count is not None and not 1 <= count <= 1_000_000:
        raise SweepKeyError((key,), f"{key} is {count}, want 1 to 1000000")
    return count


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
