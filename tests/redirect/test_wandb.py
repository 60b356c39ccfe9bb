# SPDX-License-Identifier: Apache-2.0
"""Scripts that use W&B, Trackio and SwanLab, none of which is installed, or is a package that must not be imported."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import mindscope
from tests.redirect.scripts import Completed, plain_in, run_in, said

SCRIPT = """
import sys
import importlib.metadata, importlib.util
import numpy as np
import wandb as wb
from wandb import Image
import trackio, swanlab, wandb
from wandb.sdk.lib import RunDisabled
from wandb.sdk.lib.config_util import ConfigError
from wandb.sdk.wandb_run import Run

print(sys.argv, __name__, wb is wandb, importlib.util.find_spec("wandb") is not None)
print(importlib.metadata.version("wandb") == wandb.__version__, importlib.metadata.version("trackio") > "0")
try:
    wandb.log({"early": 1})
except wandb.Error as error:
    print(type(error).__module__, error)
wandb.login(key="secret")
run = wandb.init(
    project="p", name="first", entity="me", config={"lr": 0.1, "net": {"depth": 3}, "left": 1}, tags=["a"],
    config_exclude_keys=["left"], save_code=True, monitor_gym=True, settings=wandb.Settings(start_method="fork"),
    anonymous="allow", unheard_of=1,
)
print(isinstance(run, wandb.Run) and isinstance(run, Run), wandb.run is run, run.id, run.name, run.project, run.step)
print(hasattr(wandb, "_attach"), hasattr(run, "_attach_id"), bool(wandb.sdk.anything.at.all))
wandb.watch(object(), log="all")
run.define_metric("val/*", step_metric="epoch", summary="max")
wandb.define_metric("loss", hidden=True)
for i in range(5):
    wandb.log({"loss": 1 / (i + 1), "val/acc": i, "epoch": i // 2})
wandb.log({"late": 1.0}, step=50, commit=True)
run.log({
    "images": [Image(np.zeros((8, 8, 3), np.uint8), caption="dark"), wandb.Image(wandb.Image(np.ones((8, 8))))],
    "histogram": wandb.Histogram(np.arange(10.0)), "table": wandb.Table(columns=["a", "b"], data=[[1, "x"]]),
    "matrix": wandb.plot.confusion_matrix(y_true=[0, 1, 1], preds=[0, 1, 0], class_names=["cat", "dog"]),
    "molecule": wandb.Molecule("x.pdb"), "points": wandb.Object3D(np.zeros((5, 6))),
    "html": wandb.Html("<b>x</b>", data_is_not_path=True),
})
artifact = wandb.Artifact("model", type="model", metadata={"a": 1})
artifact.add_file("x")
with artifact.new_file("y") as file:
    pass
run.log_artifact(artifact)
run.summary["best"] = 0.5
wandb.summary.other = 2
wandb.config.update({"seed": 1}, allow_val_change=True)
print(wandb.config.lr, wandb.config["net"]["depth"], wandb.config.get("nothing"), dict(wandb.config))
run.name, run.tags = "renamed", run.tags + ("b",)
print(run.name, run.tags, run.url.startswith("file://"), run.dir.endswith("p/first"))
wandb.alert("late", "text", level=wandb.AlertLevel.WARN)
print([r for r in wandb.Api().runs("me/p")], wandb.errors.CommError.__mro__[1] is wandb.Error)
class Callback(wandb.SomethingNew):
    pass
Callback().on_step_end(1)
@wandb.traced
def function():
    return "function"
print(function(), len(wandb.util.generate_id()))
wandb.finish()
print(wandb.run)

trackio.init(project="t", name="other", config={"a": 1}, space_id="me/space")
trackio.log({"loss": 2.0}); trackio.log({"loss": 1.0}, step=7)
trackio.log({"picture": trackio.Image(np.zeros((8, 8, 3), np.uint8), caption="c"), "text": trackio.Markdown("hello")})
trackio.finish(); trackio.show()

swanlab.init(project="s", experiment_name="third", config={"b": 2}, logdir="nowhere", mode="cloud")
swanlab.log({"loss": 3.0, "text": swanlab.Text("hi")}, step=3)
print(swanlab.get_run().id, swanlab.config["b"])
swanlab.finish()
"""
PRINTED = """['script.py', '--lr', '3', '-h', '--dir', 'x'] __main__ True True
True True
wandb You must call wandb.init() before wandb.log()
True True first first p 0
False False False
0.1 3 None {'lr': 0.1, 'net': {'depth': 3}, 'seed': 1}
renamed ('a', 'b') True True
[] True
function 8
None
third 2
"""
IGNORED = {
    "wandb.login", "wandb.watch", "wandb.Molecule", "wandb.Artifact", "wandb.run.log_artifact", "wandb.Api", "Callback",
    "wandb.traced", "trackio.show",
}  # fmt: skip


def pretend_installed(site: Path) -> None:
    """Put packages there that are installed as far as Python knows, and that can't be imported."""
    for name in ("wandb", "trackio", "swanlab", "tensorboardX"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text("raise SystemExit('the real package was imported')")
        (site / f"{name}-0.0.1.dist-info").mkdir()
        (site / f"{name}-0.0.1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wandb")


@pytest.fixture(scope="module")
def done(folder: Path) -> Completed:
    (folder / "wandb").mkdir()  # as W&B itself makes one; it is no module of the user's own
    return run_in(folder, SCRIPT, "--lr", "3", "-h", "--dir", "x")


def test_the_script_runs_as_with_python(done: Completed) -> None:
    assert done.stdout == PRINTED, done.stderr
    assert done.returncode == 0


def test_values_of_wandb_came(done: Completed, folder: Path) -> None:
    run = mindscope.open_run(folder / "runs" / "p" / "first")
    assert run.scalars("loss").value.tolist() == [float(np.float32(1 / (i + 1))) for i in range(5)]
    assert run.scalars("loss").step.tolist() == [0, 1, 2, 3, 4]
    assert run.scalars("late").step.tolist() == [50]
    assert run.scalars("summary/val/acc.max").value.tolist() == [4.0]
    assert run.scalars("summary/best").value.tolist() == [0.5]
    assert set(run.tags("image")) == {"images/0", "images/1"}
    assert run.texts("images/0/caption")[-1].value == ("dark",)
    assert set(run.tags("table")) == {"table", "matrix"}
    assert run.tags("histogram") == ("histogram",)
    assert run.tags("html") == ("html",)
    assert len(run.tags("mesh")) == 2
    parameters = run.hparams
    assert (parameters["lr"], parameters["net.depth"], parameters["seed"]) == (0.1, 3, 1)
    assert "left" not in parameters
    assert run.dropped == 0


def test_values_of_trackio_and_swanlab_came(done: Completed, folder: Path) -> None:
    run = mindscope.open_run(folder / "runs" / "t" / "other")
    assert (run.scalars("loss").step.tolist(), run.scalars("loss").value.tolist()) == ([0, 7], [2.0, 1.0])
    assert run.texts("text")[-1].value == ("hello",)
    assert run.images("picture")[-1].value[0].pixels().shape == (8, 8, 3)
    run = mindscope.open_run(folder / "runs" / "s" / "third")
    assert (run.scalars("loss").step.tolist(), run.texts("text")[-1].value) == ([3], ("hi",))


def test_the_report_counts_what_is_in_the_files(done: Completed) -> None:
    lines = said(done)
    assert lines[0] == "mindscope run: 3 runs"
    assert lines[1] == (
        "  runs/p/first  wandb: 19 scalars, 2 images, 1 histogram, 2 texts, 2 meshes, 2 tables, 1 HTML page"
    )
    assert lines[2:4] == [
        "  runs/t/other  trackio: 2 scalars, 1 image, 2 texts", "  runs/s/third  swanlab: 1 scalar, 1 text",
    ]  # fmt: skip
    assert lines[-1] == "  view: mindscope start runs"


def test_what_is_ignored_is_a_warning_once_and_in_the_report(done: Completed) -> None:
    assert said(done)[4].startswith("  ignored: ")
    assert set(said(done)[4].removeprefix("  ignored: ").split(", ")) == IGNORED
    for name in IGNORED:
        assert len([line for line in done.stderr.splitlines() if line.endswith(f"mindscope run ignores {name}")]) == 1


RULES = """
import os, sys, wandb
first = wandb.init(project="p", name="n")
print(wandb.init(project="q") is first, wandb.init(reinit=True, project="p", name="n").id, first.is_finished)
other = wandb.init(reinit="create_new", id="../../up", project="a/b")
print(other.id, len(other.dir.split("runs/")[1].split("/")))
wandb.finish()
with wandb.init(id="again") as run:
    run.log({"x": 1}); run.log({"x": 2})
with wandb.init(id="again", resume="must") as run:
    print(run.step, run.resumed); run.log({"x": 3})
try:
    wandb.init(id="missing", resume="must")
except wandb.errors.UsageError as error:
    print("refused")
run = wandb.init(mode="disabled"); run.log({"x": 1}); print(run.disabled); run.finish()
import trackio
run = wandb.init(name="both"); print(trackio.init(None, "both", resume="allow").id); trackio.finish(); run.finish()
loop = {}; loop["loop"] = loop
for config in (loop, object(), 7, [1]):
    wandb.init(config=config, project="", name="\\n..", reinit=True)
wandb.log("no dict"); wandb.log({3: 4}); wandb.log({"x": object(), "y\\n\\x1b[31m": 5.0}); wandb.log({"": 1})
wandb.log({"x": wandb.Image("missing.png")}); wandb.log({"x": wandb.Table(columns=["a"], data=[[1, 2]])})
wandb.define_metric(7); wandb.finish()
open("blocked", "w").close()
os.environ["MINDSCOPE_RUN_DIR"] = "blocked/runs"
run = wandb.init(); run.log({"x": 1}); print("goes on", run.disabled); run.finish()
os.environ["MINDSCOPE_RUN_DIR"] = "/proc/missing"  # where nobody can make a directory
run = wandb.init(); run.log({"x": 1}); print("goes on", run.disabled); run.finish()
os.environ["MINDSCOPE_RUN_DIR"] = "runs"
run = wandb.init(id="cells")
run.log({"table": wandb.Table(columns=["a"], data=[[wandb.Html("<b>x</b>")], [wandb.Molecule("x")], [wandb.Image]])})
"""


def test_rules_of_init_and_hostile_values(tmp_path: Path) -> None:
    done = run_in(tmp_path, RULES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "True n-2 True", "..-..-up 2", "2 True", "refused", "True", "both-2", "goes on True", "goes on True"
    ]  # fmt: skip
    run = mindscope.open_run(tmp_path / "runs" / "again")
    assert (run.scalars("x").step.tolist(), run.scalars("x").value.tolist()) == ([0, 1, 2], [1.0, 2.0, 3.0])
    assert not any(path.name != "runs" and "up" in path.name for path in tmp_path.iterdir())
    (column,) = mindscope.open_run(tmp_path / "runs" / "cells").tables("table")[0].value.columns
    assert column.values[0] == "<b>x</b>"
    report = "\n".join(said(done))
    assert "\x1b" not in report
    assert "records nothing" in done.stderr
    refused = [line for line in report.splitlines() if line.startswith("  not recorded: wandb: ")]
    assert len(refused) == 2, report
    assert "blocked/runs" in refused[0]


def test_nothing_is_recorded_where_the_script_disables_it(tmp_path: Path) -> None:
    script = "import wandb\nwandb.init()\nwandb.log({'x': 1})\nprint(wandb.run.disabled)"
    done = run_in(tmp_path, script, WANDB_MODE="disabled")
    assert done.stdout == "True\n"
    assert said(done) == ["mindscope run: no runs; the script disabled those of wandb"]
    assert not (tmp_path / "runs").exists()


def test_installed_packages_are_not_imported(tmp_path: Path) -> None:
    pretend_installed(tmp_path / "site")
    script = "import wandb, trackio, swanlab, tensorboardX\nwandb.init(name='n')\nwandb.log({'x': 1})\nprint('done')"
    path = str(tmp_path / "site")
    assert "the real package was imported" in plain_in(tmp_path, script, PYTHONPATH=with_path(path)).stderr
    done = run_in(tmp_path, script, PYTHONPATH=with_path(path))
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_a_module_of_the_users_own_stays(tmp_path: Path) -> None:
    (tmp_path / "wandb.py").write_text("MINE = 7")
    (tmp_path / "swanlab").mkdir()
    (tmp_path / "swanlab" / "__init__.py").write_text("OURS = 8")
    done = run_in(tmp_path, "import wandb, swanlab\nprint(wandb.MINE, swanlab.OURS)")
    assert (done.stdout, done.returncode) == ("7 8\n", 0), done.stderr


def with_path(path: str) -> str:
    before = os.environ.get("PYTHONPATH")
    return f"{path}{os.pathsep}{before}" if before else path
