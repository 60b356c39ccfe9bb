# SPDX-License-Identifier: Apache-2.0
"""Files of sweeps: the keys of W&B, and what is said of others."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import UsageError
from mindscope.sweep.command import Arguments, check_command, command_line
from mindscope.sweep.config import SweepConfig, read_config
from mindscope.sweep.parameters import combinations, nested, sample, spaces_of

HEAD = "program: train.py\nmethod: random\nmetric: {name: loss}\n"


def read(folder: Path, text: str) -> SweepConfig:
    file = folder / "sweep.yaml"
    file.write_text(text)
    return read_config(file)


def test_all_keys_of_wandb_are_read(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
program: train.py
command: ["${env}", "${interpreter}", "${program}", "${args}"]
name: digits
description: learning rates
project: p
entity: e
method: bayes
metric: {name: val/loss, goal: maximize, target: 0.9}
run_cap: 40
early_terminate: {type: hyperband, min_iter: 3, eta: 2}
parameters:
  lr: {distribution: log_uniform_values, min: 1e-5, max: 1e-1}
  optimizer: {values: [adam, sgd], probabilities: [0.9, 0.1]}
  net: {parameters: {depth: {min: 1, max: 4}, width: {value: 8}}}
""",
    )
    assert (config.name, config.method, config.run_cap, config.description) == ("digits", "bayes", 40, "learning rates")
    assert config.metric is not None
    assert (config.metric.name, config.metric.is_maximized, config.metric.target) == ("val/loss", True, 0.9)
    assert config.pruner == {"type": "successive_halving", "min_iter": 3, "eta": 2}
    assert list(config.spaces) == [("lr",), ("optimizer",), ("net", "depth"), ("net", "width")]
    assert len(config.notes) == 2
    assert config.notes[0].startswith("project has no effect")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[1, 2]", 1, "want keys such as program"),
        (HEAD, 1, "want a mapping from names to spaces"),
        (HEAD + "paramters: {}\n", 4, "did you mean parameters?"),
        (HEAD + "parameters:\n  lr: {min: 1, maxx: 2}\n", 5, "did you mean max?"),
        (HEAD + "parameters:\n  lr:\n    min: 2\n    max: 1\n", 6, "exchange them"),
        (HEAD + "parameters:\n  lr: {bounds: [1, 2]}\n", 5, "write min and max, see docs/moving.md"),
        (HEAD + "tuner: {name: gp}\nparameters: {lr: {value: 1}}\n", 4, "write method"),
        (HEAD + "parameters: {lr: 5}\n", 4, "want a mapping such as value: 5"),
        (HEAD + "parameters: {lr: {values: []}}\n", 4, "at least one value"),
        (HEAD + "parameters: {lr: {values: [1, 2], probabilities: [1, 1]}}\n", 4, "sum up to 2"),
        (HEAD + "parameters: {lr: {min: 1, max: .nan}}\n", 4, "want a number"),
        (HEAD + "parameters: {lr: {min: true, max: 2}}\n", 4, "want a number"),
        (HEAD + "parameters: {lr: {distribution: beta}}\n", 4, "'beta' is none of"),
        (HEAD + "parameters: {lr: {distribution: q_uniform, min: 1, max: 2, q: 0}}\n", 4, "more than 0"),
        (HEAD + "parameters: {lr: {distribution: q_uniform, min: 1, max: 2, q: 5}}\n", 4, "smaller q"),
        (HEAD + "parameters: {lr: {distribution: log_uniform, min: 1, max: 9000}}\n", 4, "exponents of e"),
        (HEAD + "parameters: {lr: {distribution: log_uniform_values, min: 0, max: 1}}\n", 4, "for a logarithm"),
        (HEAD + "parameters: {--help: {value: 1}}\n", 4, "can't be an argument"),
        (HEAD + "run_cap: 0\nparameters: {lr: {value: 1}}\n", 4, "want 1 to 1000000"),
        (HEAD + "command: rm -rf /\nparameters: {lr: {value: 1}}\n", 4, "no shell divides it"),
        (HEAD + "name: '../..'\nparameters: {lr: {value: 1}}\n", 4, "a directory gets it"),
        (HEAD + "early_terminate: {type: hyperband}\nparameters: {lr: {value: 1}}\n", 4, "either min_iter"),
        (HEAD + "pruner: hyperbnad\nparameters: {lr: {value: 1}}\n", 4, "want one of none, median"),
        ("program: a\nmethod: bayes\nparameters: {lr: {value: 1}}\n", 2, "needs a metric"),
        ("program: a\nmethod: anneal\nparameters: {lr: {value: 1}}\n", 2, "want one of grid, random"),
        ("program: a\nmethod: grid\nparameters:\n  lr: {min: 0.0, max: 1.0}\n", 4, "infinitely many"),
        ("program: a\nmethod: grid\nparameters:\n  a: {min: 1, max: 200}\n  b: {min: 1, max: 200}\n", 3, "40,000"),
        ("method: grid\nparameters: {lr: {value: 1}}\n", 1, "give program: train.py"),
    ],
)  # fmt: skip
def test_a_key_that_is_not_understood_is_an_error_with_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(UsageError) as raised:
        read(tmp_path, text)
    assert f"sweep.yaml, line {line}: " in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]", "!!python/object/apply:os.system ['touch /tmp/x']", "a: [", "\x00", "--- 1\n--- 2", "[" * 3000,
        "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c]\n"
        "e: &e [*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e]",
    ],
    ids=["own-alias", "object", "open", "zero-byte", "documents", "nested", "aliases"],
)  # fmt: skip
def test_hostile_files_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"sweep\.yaml"):
        read(tmp_path, text)
    (tmp_path / "sweep.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="no YAML"):
        read_config(tmp_path / "sweep.yaml")
    with pytest.raises(UsageError, match="can't be read"):
        read_config(tmp_path)
    (tmp_path / "sweep.yaml").write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(UsageError, match="1048576 bytes"):
        read_config(tmp_path / "sweep.yaml")


def test_a_grid_is_the_product_with_nested_names() -> None:
    spaces = spaces_of({
        "lr": {"values": [0.1, 0.2]}, "flag": {"values": [True, 1, None]},
        "net": {"parameters": {"width": {"distribution": "q_uniform", "min": 8, "max": 25, "q": 8}}},
    })  # fmt: skip
    rows = [nested({path: value for path, (_, value) in row.items()}) for row in combinations(spaces)]
    assert len(rows) == len({json.dumps(row) for row in rows}) == 18
    assert {row["net"]["width"] for row in rows} == {8, 16, 24}


@pytest.mark.parametrize(
    ("spec", "low", "high", "median"),
    [
        ({"distribution": "log_uniform_values", "min": 1e-4, "max": 1.0}, 1e-4, 1.0, 1e-2),
        ({"distribution": "inv_log_uniform_values", "min": 1e-4, "max": 1.0}, 1e-4, 1.0, 1e-2),
        ({"distribution": "log_uniform", "min": -2, "max": 2}, 0.135, 7.39, 1.0),
        ({"distribution": "inv_log_uniform", "min": 0, "max": 4}, 0.0183, 1.0, 0.135),
        ({"distribution": "q_log_uniform_values", "min": 10, "max": 1000, "q": 10}, 10, 1000, 100),
        ({"distribution": "normal", "mu": 5, "sigma": 1}, -2, 12, 5),
        ({"distribution": "log_normal", "mu": 0, "sigma": 1}, 0, 500, 1.0),
        ({"min": 0.0, "max": 1.0}, 0, 1, 0.5),
        ({"min": 0, "max": 10}, 0, 10, 5),
    ],
)  # fmt: skip
def test_distributions_have_their_bounds_and_median(
    spec: dict[str, Any], low: float, high: float, median: float
) -> None:
    import optuna

    spaces, numbers = spaces_of({"x": spec}), random.Random(1)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    sampled = [sample(spaces, numbers)["x"] for _ in range(400)]
    drawn = [spaces["x",].suggested_by(study.ask(), "x") for _ in range(400)]
    for values in (sampled, drawn):
        assert low <= min(values) <= max(values) <= high
        assert sorted(values)[80] <= median <= sorted(values)[320]


def test_the_macros_of_a_command() -> None:
    arguments = Arguments(
        "train.py", {("lr",): 0.1, ("bias",): True, ("norm",): False, ("net", "dims"): [1, 2], ("t",): "${program}"},
        Path("p.json"), Path("run"),
    )  # fmt: skip
    words = ("${args}", "${args_no_boolean_flags}", "x=${program}", "${args_json}", "${args_json_file}", "${trial_dir}")
    assert command_line(words, arguments) == [
        "--lr=0.1", "--bias=True", "--norm=False", "--net.dims=[1, 2]", "--t=${program}",
        "--lr=0.1", "--bias", "--net.dims=[1, 2]", "--t=${program}",
        "x=train.py",
        '{"lr": 0.1, "bias": true, "norm": false, "net": {"dims": [1, 2]}, "t": "${program}"}',
        "p.json", "run",
    ]  # fmt: skip
    assert command_line(("${args_no_hyphens}",), arguments)[0] == "lr=0.1"


def test_unknown_macros_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSCOPE_TEST_WORD", "w")
    check_command(("${env}", "a${envvar:MINDSCOPE_TEST_WORD}"))
    monkeypatch.delenv("MINDSCOPE_TEST_WORD")
    with pytest.raises(UsageError, match="is not set"):
        check_command(("${envvar:MINDSCOPE_TEST_WORD}",))
    with pytest.raises(UsageError, match="stands for nothing"):
        check_command(("x${args}",))
