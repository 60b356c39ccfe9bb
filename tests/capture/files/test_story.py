# SPDX-License-Identifier: Apache-2.0
"""How a process was started, as files of its run: real scripts in real repositories, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import mindscope
from mindscope.artifacts.recorded_files import RecordedFile, recorded_files
from mindscope.capture.files.packages import installed_packages

SECRET = "hunter2-x9Zq"
SCRIPT = f"""
import mindscope, os, sys
API_KEY = "{SECRET}"
run = mindscope.init(name="first", dir=sys.argv[1])
sys.argv.clear()
os.chdir("/")
run.log({{"loss": 1.0}})
run.finish()
"""


def git(directory: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    done = subprocess.run(["git", *settings, *arguments], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Project:
    def __init__(self, path: Path) -> None:
        self.path, self.runs = path / "project", path / "runs"
        self.path.mkdir()
        (self.path / "train.py").write_text(SCRIPT)

    def commit(self) -> None:
        git(self.path, "init", "-q")
        git(self.path, "add", ".")
        git(self.path, "commit", "-qm", "all")

    def train(
        self, *arguments: str, environment: Mapping[str, str] | None = None, command: tuple[str, ...] = ("train.py",)
    ) -> None:
        variables = {**os.environ, "MINDSCOPE_FILES": "1", **(environment or {})}
        words = [sys.executable, *command, str(self.runs), *arguments]
        done = subprocess.run(words, cwd=self.path, env=variables, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr

    @property
    def files(self) -> dict[str, RecordedFile]:
        return {file.name: file for file in recorded_files(self.runs / "first")}

    def text(self, name: str) -> str:
        return (self.runs / "first" / self.files[name].path).read_text()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def state_of(repository: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in (repository / ".git").rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_the_story_of_a_run(project: Project) -> None:
    (project.path / "base.yaml").write_text(f"lr: 1\npassword: {SECRET}\n")
    project.commit()
    with (project.path / "train.py").open("a") as file:
        file.write(f'\nhf_token = "{SECRET}"\nvalue = 3\n')
    (project.path / "notes\n.txt").write_text(SECRET)
    os.utime(project.path / "base.yaml", (0, 0))  # git would note in its index that it is not changed
    before = state_of(project.path)
    project.train("--config=base.yaml", "--token", SECRET)
    assert state_of(project.path) == before
    assert git(project.path, "status", "--porcelain", "-uno") == "M train.py"
    assert set(project.files) == {
        "command.txt", "requirements.txt", "code/train.py", "config/base.yaml", "git_diff.patch", "untracked_files.txt"
    }  # fmt: skip
    texts = {name: project.text(name) for name in project.files}
    assert not any(SECRET in text for text in texts.values())
    assert texts["command.txt"].endswith(f"train.py {project.runs} --config=base.yaml --token MASKED\n")
    assert texts["config/base.yaml"] == "lr: 1\npassword: MASKED\n"
    assert 'API_KEY = "MASKED"' in texts["code/train.py"]
    assert '+hf_token = "MASKED"\n+value = 3\n' in texts["git_diff.patch"]
    assert texts["untracked_files.txt"] == "notes?.txt\n"
    assert "\nnumpy==" in texts["requirements.txt"]
    assert project.files["git_diff.patch"].masked == 1
    assert project.files["config/base.yaml"].masked == 1


def test_a_resumed_run_keeps_the_newest_story(project: Project) -> None:
    project.commit()
    (project.path / "train.py").write_text(SCRIPT + "\na = 1\n")
    project.train()
    assert "+a = 1" in project.text("git_diff.patch")
    git(project.path, "checkout", "-q", "train.py")
    project.train("--again")
    assert project.text("git_diff.patch") == ""
    assert "--again" in project.text("command.txt")


def test_without_git_the_rest_is_kept(project: Project, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    project.train(environment={"PATH": str(tmp_path / "bin")})
    assert set(project.files) == {"command.txt", "requirements.txt", "code/train.py"}


def test_without_a_home_and_with_variables_of_another_repository(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("other")
    git(other, "init", "-q")
    git(other, "add", ".")
    git(other, "commit", "-qm", "other")
    project.commit()
    with (project.path / "train.py").open("a") as file:
        file.write("\na = 1\n")
    empty = {
        "HOME": "",
        "GIT_DIR": str(other / ".git"),
        "GIT_INDEX_FILE": str(other / "index"),
        "GIT_EXTERNAL_DIFF": "false",
    }
    project.train(environment=empty)
    assert "+a = 1" in project.text("git_diff.patch")
    assert "a.txt" not in project.text("git_diff.patch")


def test_settings_of_git_change_and_run_nothing(project: Project) -> None:
    project.commit()
    mark = project.path / "ran"
    for name, value in {
        "diff.external": f"touch {mark}", "core.fsmonitor": f"touch {mark}", "color.ui": "always",
        "diff.noprefix": "true", "core.pager": f"touch {mark}", "diff.mine.textconv": f"touch {mark}",
    }.items():  # fmt: skip
        git(project.path, "config", name, value)
    (project.path / ".gitattributes").write_text("*.py diff=mine\n")
    with (project.path / "train.py").open("a") as file:
        file.write("\na = 1\n")
    project.train()
    assert "--- a/train.py\n+++ b/train.py\n" in project.text("git_diff.patch")
    assert not mark.exists()


def test_a_repository_without_a_commit(project: Project) -> None:
    git(project.path, "init", "-q")
    git(project.path, "add", "train.py")
    project.train()
    assert "+run.finish()" in project.text("git_diff.patch")


def test_a_submodule_is_named_with_its_commits(project: Project, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "a.py").write_text("a = 1\n")
    git(library, "init", "-q")
    git(library, "add", ".")
    git(library, "commit", "-qm", "one")
    git(project.path, "init", "-q")
    git(project.path, "submodule", "add", "-q", str(library), "lib")
    git(project.path, "add", ".")
    git(project.path, "commit", "-qm", "all")
    (project.path / "lib" / "a.py").write_text("a = 2\n")
    git(project.path / "lib", "commit", "-qam", "two")
    project.train()
    assert "+Subproject commit" in project.text("git_diff.patch")


def test_a_huge_difference_is_cut_at_a_line_and_said(project: Project) -> None:
    (project.path / "data.txt").write_text("0\n")
    project.commit()
    (project.path / "data.txt").write_text("".join(f"line {number}\n" for number in range(300_000)))
    project.train()
    file = project.files["git_diff.patch"]
    assert file.is_cut
    assert 900_000 < file.size <= 1 << 20
    assert project.text("git_diff.patch").endswith("\n")


def test_binary_large_and_secret_settings_are_left_out_and_listed(project: Project) -> None:
    files = {"a.json": b"\0\1", "b.json": b" " * (2 << 20), "secrets.yaml": b"x: 1", "d.toml": b"a = 1\n"}
    for name, content in files.items():
        (project.path / name).write_bytes(content)
    (project.path / "dir.yaml").mkdir()
    (project.path / ".env").write_text("x")
    (project.path / "e.yaml").symlink_to(".env")
    project.train(*files, "dir.yaml", "e.yaml", "missing.yaml", "../project/d.toml", "x" * 5000 + ".yaml", "@d.toml")
    left_out = {name: file.left_out for name, file in project.files.items() if name.startswith("config/")}
    assert left_out == {
        "config/a.json": "binary", "config/b.json": "too_large", "config/secrets.yaml": "secrets", "config/d.toml": "",
        "config/e.yaml": "secrets",
    }  # fmt: skip


def test_no_more_settings_than_the_limit(project: Project) -> None:
    for number in range(60):
        (project.path / f"{number}.yaml").write_text(str(number))
    project.train(*(f"{number}.yaml" for number in range(60)))
    listed = [file for name, file in project.files.items() if name.startswith("config/")]
    assert len(listed) == 51
    assert [file.left_out for file in listed if file.left_out] == ["too_many"]


def test_a_console_has_no_script(project: Project) -> None:
    project.train(command=("-c", SCRIPT.replace("sys.argv[1]", "sys.argv[-1]")))
    assert set(project.files) == {"command.txt", "requirements.txt"}
    assert SECRET not in project.text("command.txt")


@pytest.mark.parametrize("value", ["0", "false", "No", "off"])
def test_the_environment_switches_the_story_off(project: Project, value: str) -> None:
    project.train(environment={"MINDSCOPE_FILES": value})
    assert project.files == {}
    assert not (project.runs / "first" / "files").exists()


CHOICE = """
import sys
import mindscope
mindscope.init(name="off", dir=sys.argv[1], files=False).finish()
mindscope.init(name="disabled", dir=sys.argv[1], mode="disabled").finish()
mindscope.SummaryRecord(sys.argv[1] + "/record").close()
mindscope.SummaryWriter(sys.argv[1] + "/writer", system_metrics=False).close()
mindscope.SummaryWriter(sys.argv[1] + "/first", system_metrics=False, files=True).close()
"""


def test_who_records_the_story(project: Project) -> None:
    (project.path / "train.py").write_text(CHOICE)
    project.train()
    assert "command.txt" in project.files
    assert [path.parent.name for path in project.runs.glob("*/files")] == ["first"]


def test_an_unwritable_directory_never_stops_the_training(project: Project) -> None:
    broken = SCRIPT.replace(
        "run = ", 'os.makedirs(sys.argv[1] + "/first"); open(sys.argv[1] + "/first/files", "w"); run = '
    )
    (project.path / "train.py").write_text(broken)
    project.train()
    assert mindscope.open_run(project.runs / "first").scalars("loss").value.tolist() == [1.0]


def test_packages_by_their_metadata(tmp_path: Path) -> None:
    site, later = tmp_path / "site", tmp_path / "later"
    for name in (
        "Foo_Bar-1.2.dist-info",
        "old-0.1-py3.11.egg-info",
        "vcs-2.0.dist-info",
        "mine-0.0.dist-info",
        "foo",
        "x.dist-info",
    ):
        (site / name).mkdir(parents=True)
    (later / "foo_bar-9.dist-info").mkdir(parents=True)
    vcs = '{"url": "https://host/r", "vcs_info": {"vcs": "git", "commit_id": "abc"}}'
    (site / "vcs-2.0.dist-info" / "direct_url.json").write_text(vcs)
    (site / "mine-0.0.dist-info" / "direct_url.json").write_text('{"url": "file:///m", "dir_info": {"editable": true}}')
    assert installed_packages([str(site), str(later), str(tmp_path / "missing")]) == [
        "Foo-Bar==1.2", "mine==0.0  # editable, from file:///m", "old==0.1", "vcs @ git+https://host/r@abc  # 2.0"
    ]  # fmt: skip
