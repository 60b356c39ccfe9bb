# SPDX-License-Identifier: Apache-2.0
"""Secrets among the parameters of a run are masked, whichever way they are recorded."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.capture.masking.masked_parameters import masked_parameters
from mindscope.capture.masking.masked_text import mask_text
from mindscope.integrations.recording import TrainingRun

SECRET = "hunter2-x9Zq"
KEY = "sk-proj-AbCdEf0123456789"


@pytest.mark.parametrize(("name", "value", "want"), [
    ("api_key", SECRET, "MASKED"), ("openai.api_key", SECRET, "MASKED"), ("env/parameter/hf_token", SECRET, "MASKED"),
    ("wandb key", SECRET, "MASKED"), ("dbPassword", SECRET, "MASKED"), ("password", 123456, "MASKED"),
    ("api_keys", f'["{SECRET}", "b"]', '["MASKED", "MASKED"]'), ("anything", KEY, "MASKED"),
    ("service", f"{{'password': '{SECRET}', 'user': 'me'}}", "{'password': 'MASKED', 'user': 'me'}"),
    ("database", f"postgres://me:{SECRET}@host/db", "postgres://me:MASKED@host/db"),
    ("client", f"Client(token='{SECRET}', retries=3)", "Client(token='MASKED', retries=3)"),
    ("note", f"made with {KEY} today", "made with MASKED today"),
])  # fmt: skip
def test_secrets_are_masked(name: str, value: Any, want: Any) -> None:
    assert masked_parameters({name: value, "lr": 0.1}) == {name: want, "lr": 0.1}


@pytest.mark.parametrize(("name", "value"), [
    ("monkey", "banana"), ("tokens", "a1 b2"), ("key_dim", 64), ("num_tokens", 512), ("keyboard", "us"),
    ("token_budget", 512), ("token_budget", "512"), ("max_secret_tokens", 12), ("pad_token", "<pad>"), ("pass", True),
    ("eos_token", "<|endoftext|>"), ("tokenizer", "bert-base-uncased"), ("monitor_key", "val_loss"), ("keys", "[1, 2]"),
    ("password_length", 12), ("password", None), ("password", 0.5), ("secret", "${SECRET}"),
    ("hub_token", "<HUB_TOKEN>"),
    ("prompt", "Enter the secret word; the password is here"), ("hotkey", "ctrl+c"), ("betas", "[0.9, 0.999]"),
    ("model", "sk-learn-random-forest-v2"), ("model", "a sk-rnn with 2 layers"), ("attention", "flash_attention_2"),
])  # fmt: skip
def test_other_parameters_stay(name: str, value: Any) -> None:
    assert masked_parameters({name: value}) == {name: value}


@pytest.mark.parametrize("text", ["sk-learn-random-forest-v2", "sk-your-openai-key-goes-here-2", "risk-sk-1-to-9"])
def test_words_are_no_key(text: str) -> None:
    assert mask_text(f"use {text} here", "notes.md") == (f"use {text} here", 0)


@pytest.mark.parametrize("text", [
    KEY, "sk-AbCdEf0123456789AbCd", "sk-ant-api03-AbCd_Ef0123456789abcdef-XYZ",
    "sk-or-v1-0123456789abcdef0123456789abcdef",
])  # fmt: skip
def test_keys_are_found_among_words(text: str) -> None:
    assert mask_text(f"use {text} here", "notes.md") == ("use MASKED here", 1)


CONFIG = {"lr": 0.1, "api_key": SECRET, "net": {"depth": 3, "auth": {"password": SECRET}}, "keys": KEY, "key_dim": 64}


def _by_init(directory: Path) -> None:
    run = mindscope.init(name="run", dir=directory, config=CONFIG, system_metrics=False, files=False)
    run.config.update(Namespace(late_token=KEY, passwords=[SECRET, KEY]))
    run.summary["best_secret"] = SECRET
    assert run.config["api_key"] == SECRET  # the script's own values stay
    run.finish()


def _by_writer(directory: Path) -> None:
    with mindscope.SummaryWriter(directory / "run", system_metrics=False) as writer:
        flat = {"lr": 0.1, "api_key": SECRET, "key_dim": 64}
        writer.add_hparams(flat, {"best": 1.0}, {"api_key": [SECRET, "other1"]}, run_name="session")


def _by_record(directory: Path) -> None:
    with mindscope.SummaryRecord(str(directory / "run")) as record:
        record.add_value("custom_lineage_data", "custom_lineage_data", CONFIG)
        record.record(1)


def _by_trainer(directory: Path) -> None:
    run = TrainingRun(directory / "run", system_metrics=False)
    run.start(lambda: CONFIG)
    run.log({"loss": 1.0}, 1)
    run.end()


@pytest.mark.parametrize("record", [_by_init, _by_writer, _by_record, _by_trainer])
def test_no_file_of_a_run_has_a_secret_of_its_configuration(tmp_path: Path, record: Callable[[Path], None]) -> None:
    record(tmp_path)
    contents = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"api_key" in data and b"key_dim" in data for data in contents)
    assert any(b"MASKED" in data for data in contents)
    assert not any(secret.encode() in data for data in contents for secret in (SECRET, KEY, "other1"))


def test_the_parameters_of_a_run_say_what_is_masked(tmp_path: Path) -> None:
    _by_init(tmp_path)
    parameters = mindscope.open_run(tmp_path / "run").hparams
    assert parameters["api_key"] == parameters["net.auth.password"] == parameters["late_token"] == "MASKED"
    assert (parameters["lr"], parameters["net.depth"], parameters["key_dim"]) == (0.1, 3, 64)
