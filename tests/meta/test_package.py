# SPDX-License-Identifier: Apache-2.0
"""Promises about the package as a whole."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path

import pytest

import mindscope
from mindscope.capture.pending import PLUGINS
from mindscope.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]
HEAVY = "torch mindspore tensorflow jax fastapi starlette uvicorn pydantic typer pandas pyarrow watchfiles".split()
TRAINERS = "lightning transformers accelerate keras sklearn stable_baselines3 ignite skorch fastai clu xgboost".split()
TRAINERS += "lightgbm catboost optuna ray ultralytics trl".split()


def test_public_names_are_there() -> None:
    assert all(hasattr(mindscope, name) for name in mindscope.__all__)
    assert {"SummaryRecord", "open_run", "open_runs", "Run", "__version__"} <= set(mindscope.__all__)


def test_import_brings_no_framework_and_no_server() -> None:
    code = f"import sys, mindscope; print([name for name in {HEAVY} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["mindscope", "mindscope.integrations.recording"])
def test_import_brings_no_trainer(module: str) -> None:
    assert not modules_after(f"import {module}") & {*HEAVY, *TRAINERS}


def imported_names(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mindscope"):
            yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("folder", ["bench", "examples"])
def test_programs_beside_the_package_import_names_that_exist(folder: str) -> None:
    """No type checker and no test reads them."""
    imported = sorted({pair for path in (ROOT / folder).rglob("*.py") for pair in imported_names(path)})
    missing = [(module, name) for module, name in imported if not is_there(module, name)]
    assert imported
    assert not missing


def is_there(module: str, name: str) -> bool:
    if importlib.util.find_spec(module) is None:
        return False
    try:
        return (
            hasattr(importlib.import_module(module), name) or importlib.util.find_spec(f"{module}.{name}") is not None
        )
    except ModuleNotFoundError as error:  # a framework that this environment lacks
        return not str(error.name).startswith("mindscope")


def modules_after(code: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(shown.stdout.split())


def test_a_command_that_starts_or_stops_a_viewer_imports_no_reader() -> None:
    starts = ("mindscope.cli.app", "mindscope.server.process.background", "mindscope.server.process.workspace")
    loaded = modules_after(f"import {', '.join(starts)}")
    assert not loaded & {"numpy", "pydantic", "fastapi", "mindscope.capture", "mindscope.store", "mindscope.reading"}


def test_a_list_of_commands_and_another_command_import_no_command() -> None:
    run = "from typer.testing import CliRunner; from mindscope.cli.app import app; CliRunner().invoke(app, [{}])"
    assert not modules_after(run.format("'--help'")) & {"mindscope.cli.graph", "mindscope.cli.stop", "numpy"}
    loaded = modules_after(run.format("'graph', '--help'"))
    assert "mindscope.cli.graph" in loaded
    assert not loaded & {"mindscope.cli.stop", "numpy"}


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_a_command_need_no_numpy(command: str) -> None:
    module = f"{command}_" if iskeyword(command) else command
    assert not modules_after(f"import mindscope.cli.{module}") & {"numpy", "torch", "mindscope.capture"}


LAZY_PACKAGES = [
    path.parent.relative_to(ROOT / "src").as_posix().replace("/", ".")
    for path in (ROOT / "src").rglob("__init__.py")
    if "__getattr__ = lazy_names(" in path.read_text("utf-8")
]


@pytest.mark.parametrize("package", LAZY_PACKAGES)
def test_lazy_names_exist_and_hide_no_module(package: str) -> None:
    """A submodule with the same name would be returned instead once anything imports it."""
    module = importlib.import_module(package)
    modules = {each.name for each in pkgutil.iter_modules(module.__path__)}
    names = set(inspect.getclosurevars(module.__getattr__).nonlocals["homes"])
    assert names
    assert not names & modules
    for name in names | set(getattr(module, "__all__", ())):
        getattr(module, name)


def test_a_viewer_answers_before_it_imports_what_reads_graphs_and_exports() -> None:
    loaded = modules_after("import mindscope.server.process.server")
    assert "mindscope.server.app" in loaded
    assert not loaded & {"mindscope.reading", "mindscope.graph", "mindscope.lineage", "mindscope.server.previews.query"}
    assert [name for name in loaded if name.startswith("mindscope.server") and name.endswith("routes")] == [
        "mindscope.server.http.lazy_routes"
    ]


def test_public_names_and_modules_are_imported_when_they_are_used() -> None:
    assert "numpy" not in modules_after("import mindscope")
    assert "mindscope.capture.record" in modules_after("from mindscope import SummaryRecord")
    assert "mindscope.errors" in modules_after("import mindscope; mindscope.errors.MindscopeError")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = mindscope.nothing
    assert set(mindscope.__all__) <= set(dir(mindscope))


def test_curves_are_read_without_what_reads_graphs_and_lineage(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    loaded = modules_after(f"import mindscope; assert mindscope.open_run({str(tmp_path)!r}).scalars('loss').value == 1")
    assert not loaded & {
        "mindscope.graph.data.graph_data",
        "mindscope.reading.lineage_rows",
        "mindscope.lineage.importance",
    }


@pytest.mark.parametrize("name", "capture errors formats ingest reading reasons settings store types".split())
def test_module_loads_on_first_access(name: str) -> None:
    assert f"mindscope.{name}" in modules_after(f"import mindscope; mindscope.{name}")


def test_modules_keep_to_the_arrow() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_version_is_in_the_changelog() -> None:
    assert f"## {mindscope.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_commands_of_the_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    documents = readme + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    targets = set(re.findall(r"(?:`|^)make ([\w-]+)", documents, re.MULTILINE))
    assert {"demo", "test"} <= targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    shown = subprocess.run([sys.executable, "-m", "mindscope", "--help"], capture_output=True, text=True, check=True)
    shell = "".join(re.findall(r"```sh\n(.*?)```", readme, re.DOTALL))
    commands = set(re.findall(r"^mindscope (\w+)", shell, re.MULTILINE))
    assert {"start", "stop", "inspect", "export"} <= commands
    for command in commands:
        assert command in shown.stdout


def test_pictures_and_links_of_the_documents_are_there() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        text = document.read_text("utf-8")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text) + re.findall(r'src(?:set)?="([^"]+)"', text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_every_document_is_once_in_the_table_of_contents() -> None:
    contents = (ROOT / "docs" / "README.md").read_text("utf-8")
    documents = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert sorted(re.findall(r"\((\w[\w-]*\.md)\)", contents)) == sorted(documents)


def test_every_kind_that_can_be_recorded_is_documented() -> None:
    rows = re.findall(r"^\| (`[^|]+`) \|", (ROOT / "docs" / "recording.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(PLUGINS)


@pytest.mark.parametrize(
    ("document", "below"),
    [
        ("ARCHITECTURE.md", ("src/mindscope",)),
        (
            "CONTRIBUTING.md",
            ("src/mindscope", "src/mindscope/alerts", "src/mindscope/formats", "src/mindscope/server/tensors"),
        ),
        ("SECURITY.md", ("src/mindscope/server/http",)),
    ],
)
def test_files_of_the_documents_exist(document: str, below: tuple[str, ...]) -> None:
    text = (ROOT / document).read_text("utf-8")
    named = set(re.findall(r"`([\w/.]+(?:\.py|\.pyx|\.ts|\.svelte|/))`", text)) - {"dist/", "zh/"}
    named = {name for name in named if "NAME" not in name and "NamePage" not in name}
    assert len(named) >= 4
    roots = (ROOT, *(ROOT / folder for folder in below))
    assert [name for name in sorted(named) if not any((root / name).exists() for root in roots)] == []


def test_the_arrow_of_the_architecture_is_the_one_that_is_checked() -> None:
    rooms = (ROOT / "pyproject.toml").read_text("utf-8")
    rooms = rooms.partition('containers = ["mindscope"]')[2].partition("layers = [")[2].partition("]")[0]
    layers = re.findall(r'"([^"]+)"', rooms)
    arrow = re.search(r"`(notebook → [^`]+)`", (ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    assert arrow
    assert " ".join(arrow[1].split()).split(" → ") == layers
