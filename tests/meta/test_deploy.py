# SPDX-License-Identifier: Apache-2.0
"""The commands in ``deploy/`` are ones that the command line takes."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from mindscope.cli.app import app

DEPLOY = Path(__file__).parents[2] / "deploy"
CONTAINER = (DEPLOY / "Containerfile").read_text("utf-8")
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))
UNIT = (DEPLOY / "mindscope.service").read_text("utf-8")


def instruction(name: str) -> list[str]:
    return json.loads(re.findall(rf"^{name} (\[.*\])$", CONTAINER, re.MULTILINE)[-1])


def container() -> dict[str, Any]:
    return MANIFESTS[0]["spec"]["template"]["spec"]["containers"][0]


def commands() -> Iterator[tuple[str, list[str]]]:
    yield "container", [*instruction("ENTRYPOINT"), *instruction("CMD")]
    yield "kubernetes", [*instruction("ENTRYPOINT"), *container()["args"]]
    for number, line in enumerate(re.findall(r"^#? ?ExecStart=(.*)$", UNIT, re.MULTILINE)):
        yield f"unit {number}", shlex.split(line.replace("%S", "/var/lib").replace("%d", "/run/credentials"))


@pytest.mark.parametrize("command", [pytest.param(command, id=name) for name, command in commands()])
def test_the_command_line_takes_each_command(command: list[str]) -> None:
    program, name, *arguments = command
    assert program == "/opt/mindscope/bin/mindscope"
    start = typer.main.get_group(app).commands[name]
    values = start.make_context(name, arguments).params
    assert values["foreground"]
    assert values["directories"]


def test_the_unit_says_it_twice_at_most() -> None:
    assert len(re.findall(r"^ExecStart=", UNIT, re.MULTILINE)) == 1
    assert len(re.findall(r"^# ExecStart=", UNIT, re.MULTILINE)) == 1


def test_user_port_and_mounts_of_container_and_manifest_agree() -> None:
    pod = MANIFESTS[0]["spec"]["template"]["spec"]
    assert f"--uid {pod['securityContext']['runAsUser']} " in CONTAINER
    assert f"USER {pod['securityContext']['runAsUser']}\n" in CONTAINER
    assert f"EXPOSE {container()['ports'][0]['containerPort']}\n" in CONTAINER
    mounts = {mount["mountPath"] for mount in container()["volumeMounts"]}
    assert set(instruction("VOLUME")) <= mounts
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container()["volumeMounts"]} == volumes
    claims = {manifest["metadata"]["name"] for manifest in MANIFESTS if manifest["kind"] == "PersistentVolumeClaim"}
    used = {each["persistentVolumeClaim"]["claimName"] for each in pod["volumes"] if "persistentVolumeClaim" in each}
    assert used - claims == {"runs"}, "the trainings' claim is the user's"
