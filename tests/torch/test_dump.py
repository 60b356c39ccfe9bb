# SPDX-License-Identifier: Apache-2.0
"""Dumps of real trainings: what is written, under which names, and that nothing else changes."""

from __future__ import annotations

import json
import logging
import math
import resource
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from digits import batches, make_model
from dumps import Twice, arrays, config, iterations, order, rows, train
from ranks import run_ranks
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from mindscope.errors import SettingsError
from mindscope.reading.run_debug import open_debug
from mindscope.torch import Debugger, Dump, set_dump
from mindscope.torch.dump import dump as dump_module

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
LINEAR = "Default/_backbone-Twice/layers-ModuleList/0-Linear"
FILE_LINEAR = LINEAR.replace("/", "_")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("e2e", [None, {"enable": True, "trans_flag": True}])
@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam])
def test_dump_has_every_operator_and_changes_no_loss(tmp_path: Path, e2e: Any, optimizer: Any) -> None:
    settings = config(e2e=e2e, saved_data="full")
    assert train(tmp_path, settings, optimizer=optimizer) == train(None, optimizer=optimizer)
    assert iterations(tmp_path) == [0, 2]
    root = tmp_path / "rank_0"
    assert json.loads((root / ".dump_metadata" / "data_dump.json").read_text()) == settings
    assert json.loads((root / ".dump_metadata" / "config.json").read_text())["device_target"] == "CPU"
    assert (root / "execution_order" / "ms_global_execution_order_graph_0.csv").read_text() == "0\n2\n"
    names = order(tmp_path)
    assert [name for name in names if "addmm-op" in name][:3] == [
        f"{LINEAR}/addmm-op0", f"{LINEAR}/addmm-op1", LINEAR.replace("0-Linear", "1-Linear/addmm-op0"),
    ]  # fmt: skip
    assert f"Gradients/{LINEAR}/Grad_addmm/mm-op3" in names
    assert "Gradients/Default/_backbone-Twice/conv-Conv2d/Grad_convolution/convolution_backward-op0" in names
    assert any(name.startswith(f"Default/optimizer-{optimizer.__name__}/") for name in names)
    for iteration in (0, 2):
        found = arrays(tmp_path, iteration)
        assert {key.rpartition(".")[0] for key in found if "mse_loss-op0" in key} >= {"Default_mse_loss-op0.input"}
        images = found["Default__backbone-Twice_conv-Conv2d_convolution-op0.input.0"]
        np.testing.assert_array_equal(images, np.full((3, 1, 4, 4), 1.0 + iteration))
        relu = "Default__backbone-Twice_act-ReLU_relu-op0"
        np.testing.assert_array_equal(found[f"{relu}.output.0"], np.maximum(found[f"{relu}.input.0"], 0))
        assert found[f"{FILE_LINEAR}_addmm-op1.output.0"].shape == (3, 8)
        assert {key for key in found if key.startswith("Parameter")} >= {"Parameter.layers_1_bias"}
        by_name = {(row["Op Name"], row["IO"], row["Slot"]): row for row in rows(tmp_path, iteration)}
        row = by_name[f"{LINEAR}/addmm-op1", "output", "0"]
        want = found[f"{FILE_LINEAR}_addmm-op1.output.0"]
        assert (row["Op Type"], row["Shape"], row["Data Type"], row["Data Size"]) == ("addmm", "(3,8)", "Float32", "96")
        assert float(row["Max Value"]) == want.max()
        assert float(row["L2Norm Value"]) == pytest.approx(float(np.linalg.norm(want.astype(np.float64))))


def test_inputs_are_those_before_an_operator_that_changes_them(tmp_path: Path) -> None:
    for way in (True, False):
        with Dump(config=config(e2e={"enable": way}), path=tmp_path / str(way)):
            torch.arange(3.0).add_(1)
        found = arrays(tmp_path / str(way))
        assert found["Default_add_-op0.input.0"].tolist() == [0, 1, 2]
        assert found["Default_add_-op0.output.0"].tolist() == [1, 2, 3]


def test_kernels_select_and_unmatched_ones_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kernels = ["RELU", f"{LINEAR}/addmm-op1", "name-regex(Gradients/.*convolution_backward-op0)", "Conv9D"]
    train(tmp_path, config("0", dump_mode=1, kernels=kernels, input_output=2))
    assert {key.partition(".")[0] for key in arrays(tmp_path)} == {
        "Default__backbone-Twice_act-ReLU_relu-op0", f"{FILE_LINEAR}_addmm-op1",
        "Gradients_Default__backbone-Twice_conv-Conv2d_Grad_convolution_convolution_backward-op0",
    }  # fmt: skip
    assert not [key for key in arrays(tmp_path) if ".input." in key]
    assert "kernels 'Conv9D' of the dump matched no operator that ran" in warnings(caplog)


@pytest.mark.parametrize("is_entered_first", [False, True])
def test_a_dump_has_no_operator_of_a_debugger(tmp_path: Path, is_entered_first: bool) -> None:
    def names(root: Path, *, has_debugger: bool) -> list[str]:
        torch.manual_seed(0)
        network = nn.Linear(4, 2)
        trained, dump = torch.optim.SGD(network.parameters(), lr=0.1), Dump(network, config("all"), path=root)
        debugger = Debugger(tmp_path / "run", network, level="module")
        both: list[Any] = [debugger, dump] if is_entered_first else [dump, debugger]
        with both[0] if has_debugger else dump, both[1] if has_debugger else nullcontext():
            for _ in range(2):
                loss = network(torch.ones(3, 4)).sum()
                loss.backward()
                trained.step()
                if has_debugger:
                    debugger.step(loss)
                dump.step()
        # while a hook sees a gradient, autograd copies it into the parameter instead of moving it there
        return [name for name in order(root) if "/clone-op" not in name or not name.startswith("Gradients/")]

    assert names(tmp_path / "both", has_debugger=True) == names(tmp_path / "alone", has_debugger=False)


def test_marked_modules_are_dumped_forward_and_backward(tmp_path: Path) -> None:
    net = Twice()
    set_dump(net.layers)
    set_dump(net.layers[1], enabled=False)
    set_dump(torch.ops.aten.relu)
    with Dump(net, config("0", dump_mode=2), path=tmp_path):
        net(torch.ones(1, 1, 4, 4)).sum().backward()
    set_dump(torch.ops.aten.relu, enabled=False)
    operators = {key.partition(".")[0] for key in arrays(tmp_path)}
    assert any(name.startswith(f"Gradients_{FILE_LINEAR}_Grad_addmm_mm") for name in operators)
    assert all("0-Linear" in name or "relu-op" in name for name in operators)
    with pytest.raises(TypeError, match=r"want a torch\.nn\.Module"):
        set_dump("layers")


def test_dump_that_writes_nothing_says_why(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    net = Twice()
    with Dump(net, config("0", dump_mode=2), path=tmp_path / "unmarked"):
        net(torch.ones(1, 1, 4, 4))
    assert warnings(caplog) == [
        "dump_mode is 2, and set_dump marked no module of the network and no operator: it dumps none"
    ]
    caplog.clear()
    train(tmp_path / "late", config("7|9-12"), steps=3)
    assert warnings(caplog) == ["nothing was dumped: iterations 0 to 2 ran, the dump selects 7|9-12"]
    caplog.clear()
    set_dump(net.layers)
    with Dump(net, config("0", dump_mode=2), path=tmp_path / "marked"):
        net(torch.ones(1, 1, 4, 4))
    train(tmp_path / "first", config("0|50"), steps=2)
    assert warnings(caplog) == []


def test_only_overflowing_operators_until_their_number(tmp_path: Path) -> None:
    settings = config("all", op_debug_mode=3, overflow_number=2, input_output=2)
    with Dump(config=settings, path=tmp_path) as dump:
        for _ in range(3):
            zero = torch.zeros(2)
            zero.log_().exp()
            torch.ones(1) / zero.exp()
            dump.step()
    assert iterations(tmp_path) == [0]
    found = arrays(tmp_path)
    assert {key.partition(".")[0] for key in found} == {"Default_log_-op0", "Default_div-op0"}
    assert found["Default_log_-op0.input.0"].tolist() == [0, 0]
    assert found["Default_log_-op0.output.0"].tolist() == [-math.inf, -math.inf]


def test_inputs_of_an_operator_that_raises(tmp_path: Path) -> None:
    with Dump(config=config("7", op_debug_mode=4), path=tmp_path):
        torch.ones(2) + 1
        with pytest.raises(IndexError):
            torch.arange(3)[torch.tensor([5])]
    found = arrays(tmp_path)
    assert sorted(key for key in found if "dtype" not in key) == [
        "Default_index-op0.input.0",
        "Default_index-op0.input.1",
    ]
    assert found["Default_index-op0.input.1"].tolist() == [5]


def test_samples_keep_the_first_elements_and_statistics_of_all(tmp_path: Path) -> None:
    e2e = {"enable": True, "sample_mode": 1, "sample_num": 5, "save_kernel_args": True}
    with Dump(config=config(e2e=e2e, saved_data="full", statistic_category=["max", "count"]), path=tmp_path):
        torch.arange(12.0).reshape(3, 4).sum(dim=1)
    found = arrays(tmp_path)
    assert found["Default_sum-op0.input.0"].tolist() == [0, 1, 2, 3, 4]
    assert found["Default_sum-op0.output.0"].tolist() == [6, 22, 38]
    row = next(row for row in rows(tmp_path) if row["Op Type"] == "sum" and row["IO"] == "input")
    assert (row["Max Value"], row["Count"], row["Shape"]) == ("11.0", "12", "(3,4)")
    arguments = json.loads((tmp_path / "rank_0" / "net" / "0" / "0" / "sum.Default_sum-op0.json").read_text())
    assert arguments["dim"] == "[1]"


def test_statistics_of_the_device_are_those_of_the_host(tmp_path: Path) -> None:
    for way in ("host", "device"):
        settings = config("0", {"enable": True, "stat_calc_mode": way}, saved_data="statistic")
        settings["common_dump_settings"]["statistic_category"] = ["max", "min", "avg", "l2norm"]
        train(tmp_path / way, settings)
        assert not list((tmp_path / way).rglob("*.npy"))
    for host, device in zip(rows(tmp_path / "host"), rows(tmp_path / "device"), strict=True):
        for column in ("Max Value", "Min Value", "Avg Value", "L2Norm Value"):
            assert float(host[column]) == pytest.approx(float(device[column]), rel=1e-5, abs=1e-7)


def test_types_and_layouts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = [1.0, -2.0, 0.0]
    kinds = [torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.complex64, torch.bool, torch.uint16]
    with Dump(config=config(saved_data="full", statistic_category=["max", "md5"]), path=tmp_path):
        for kind in kinds:
            torch.tensor(values).abs().to(kind).clone()
        torch.empty(0).clone()
        torch.ones(2).to_sparse().clone()
        torch.ones(2, device="meta").clone()
        torch.tensor([1 + 2j]).conj().clone()
        torch.ones(2, 3).t().clone()
    found = arrays(tmp_path)
    clones = [f"Default_clone-op{number}" for number in range(12)]
    assert [found[f"{clones[place]}.output.0.dtype"] for place in range(6)] == [
        "BFloat16", "Float16", "Float8_e4m3fn", "Complex64", "Bool", "UInt16",
    ]  # fmt: skip
    for place, kind in enumerate(kinds):
        got = found[f"{clones[place]}.output.0"]
        want = torch.tensor(values).abs().to(kind)
        np.testing.assert_array_equal(got, want.to(torch.complex64 if kind.is_complex else torch.float32).numpy())
    assert not [key for key in found if key.startswith((f"{clones[6]}.", f"{clones[7]}.", f"{clones[8]}."))]
    assert any("no sparse_coo tensors" in line for line in warnings(caplog))
    assert any("no meta tensors" in line for line in warnings(caplog))


def test_long_and_odd_names_are_mapped(tmp_path: Path) -> None:
    inner: nn.Module = nn.Linear(2, 2)
    for number in range(12):
        outer = nn.Module()
        outer.add_module(f"läyer {number},\n'x'/{'y' * 20}", inner)
        outer.forward = inner.forward  # type: ignore[method-assign]
        inner = outer

    class Deep(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner
            self.leaf = [module for module in inner.modules() if isinstance(module, nn.Linear)]

        def forward(self, x: Any) -> Any:
            return self.leaf[0](x)

    with Dump(net := Deep(), config("0", saved_data="full"), path=tmp_path):
        net(torch.ones(1, 2))
    directory = tmp_path / "rank_0" / "net" / "0" / "0"
    mapped = dict(line.split(",") for line in (directory / "mapping.csv").read_text("utf-8").splitlines())
    assert mapped
    for number, original in mapped.items():
        assert (directory / number).exists()
        assert len(original.encode()) > 255
        assert len(original.split(".")) == 10
    assert {row["Op Type"] for row in rows(tmp_path)} >= {"addmm"}


@pytest.mark.parametrize("saved_data", ["tensor", "statistic", "full"])
def test_the_first_bad_number_of_a_dump_is_found(tmp_path: Path, saved_data: str) -> None:
    network = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    with Dump(network, config("all", saved_data=saved_data), path=tmp_path) as dump:
        for step in range(4):
            optimizer.zero_grad()
            outputs = network(torch.ones(5, 4))
            if step == 2:
                outputs = (outputs - outputs).log()  # operators that the first iteration has not
            outputs.sum().backward()
            optimizer.step()
            dump.step()
    names = order(tmp_path)
    assert names.index("Default/_backbone-Sequential/2-Linear/addmm-op0") < names.index("Default/log-op0")
    assert names.index("Default/log-op0") < names.index("Default/sum-op0")
    opened = open_debug(tmp_path)
    assert opened.source.framework == "torch"
    found = opened.first_bad()
    assert found is not None
    assert (found.step, found.phase, found.operator) == (2, "forward", "Default/log-op0")
    count = "at least 1" if saved_data == "statistic" else "15"
    assert f"returns -infinity in {count} of 15 elements" in found.text


def test_second_training_into_the_same_directory_appends(tmp_path: Path) -> None:
    for _ in range(2):
        train(tmp_path, config("0", saved_data="statistic"), steps=1)
    assert (tmp_path / "rank_0" / "execution_order" / "ms_global_execution_order_graph_0.csv").read_text() == "0\n0\n"
    names = [row["Op Name"] for row in rows(tmp_path)]
    assert names.count(f"{LINEAR}/addmm-op0") == 2 * names[: len(names) // 2].count(f"{LINEAR}/addmm-op0")
    assert "Op Name" not in names


def test_disk_limit_ends_the_dump(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Dump(config=config("all"), path=tmp_path, disk_limit_mb=1) as dump:
        for _ in range(5):
            torch.ones(100_000) + 1
            dump.step()
    assert 0 < sum(file.stat().st_size for file in tmp_path.rglob("*.npy")) <= 1 << 20
    assert [line for line in warnings(caplog) if "reached disk_limit_mb=1" in line]


def test_directory_that_can_not_be_written_changes_no_training(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("x")
    for e2e in (None, {"enable": True}):
        assert train(tmp_path / "file", config(e2e=e2e)) == train(None)
    assert any("dump can't be written" in line for line in warnings(caplog))
    assert any("lacks" in line for line in warnings(caplog))


def test_full_disk_leaves_whole_files_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with Dump(config=config("0"), path=tmp_path):
            torch.ones(10) + torch.ones(10)
            torch.ones(10_000) + torch.ones(10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert {array.shape for key, array in arrays(tmp_path).items() if "dtype" not in key} == {(10,)}
    assert not list(tmp_path.rglob(".partial*"))
    assert any("dump can't be written" in line for line in warnings(caplog))


def test_killed_training_leaves_whole_files_only(tmp_path: Path) -> None:
    script = f"""
import os, sys, torch
sys.path[:0] = {[str(Path(__file__).parent)]!r}
from dumps import config
from mindscope.torch import Dump
with Dump(config=config("all", {{"enable": True}}), path={str(tmp_path)!r}):
    for step in range(50):
        torch.full((1000,), float(step)) + 1
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    found = arrays(tmp_path)
    assert found["Default_add-op49.output.0"].tolist() == [50.0] * 1000


def test_ten_thousand_files_in_an_iteration(tmp_path: Path) -> None:
    with Dump(config=config("0", input_output=2), path=tmp_path):
        value = torch.zeros(1)
        for _ in range(10_000):
            value = value + 1
    found = arrays(tmp_path)
    assert found["Default_add-op9999.output.0"].tolist() == [10_000.0]
    assert len(order(tmp_path)) == 10_001


def test_without_a_configuration_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(dump_module.VARIABLE, raising=False)
    with Dump(Twice()) as dump:
        torch.ones(1) + 1
        dump.step()
    assert dump.directory is None


def test_configuration_that_is_wrong_is_an_error_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(dump_module.VARIABLE, str(tmp_path / "missing.json"))
    with pytest.raises(SettingsError, match=r"missing\.json"):
        Dump()
    with pytest.raises(SettingsError, match=r"missing\.json"):
        make_model().train(1, batches(16))
    with pytest.raises(TypeError, match=r"want a torch\.nn\.Module"):
        Dump("net")  # type: ignore[arg-type]


def test_another_mode_that_is_entered_in_the_loop_stays(tmp_path: Path) -> None:
    class Other(TorchDispatchMode):
        count = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            Other.count += 1
            return func(*args, **(kwargs or {}))

    with Dump(config=config("0"), path=tmp_path) as dump:
        with Other():
            torch.ones(1)
            dump.step()
            torch.zeros(1)
        torch.full((1,), 2.0)
    assert Other.count == 2
    assert order(tmp_path) == ["Default/ones-op0"]
    torch.ones(1)


def test_model_dumps_by_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def losses() -> list[float]:
        found: list[float] = []
        model = make_model()
        model.train(2, batches(32), callbacks=None)
        found += [parameter.sum().item() for parameter in model.train_network.parameters()]
        return found

    want = losses()
    file = tmp_path / "config.json"
    settings = config("1|3", path="", kernels=[])
    file.write_text(json.dumps(settings))
    monkeypatch.setenv("MS_DIAGNOSTIC_DATA_PATH", str(tmp_path))
    monkeypatch.setenv(dump_module.VARIABLE, str(file))
    dump_module._dump_of.cache_clear()
    assert losses() == want
    dump_module._dump_of.cache_clear()
    assert iterations(tmp_path / "debug_dump") == [1, 3]
    found = arrays(tmp_path / "debug_dump", 3)
    assert any(key.startswith("Gradients_Default__backbone-SmallNet_fc1-Linear") for key in found)
    assert any(key.startswith("Default_optimizer-SGD") for key in found)


def test_model_inside_of_a_dump_counts_its_steps(tmp_path: Path) -> None:
    with Dump(config=config("2"), path=tmp_path):
        make_model().train(2, batches(32))
    assert iterations(tmp_path) == [2]
    assert any("_fc1-Linear_" in key for key in arrays(tmp_path, 2))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_network_has_its_borders(tmp_path: Path, backend: str, caplog: pytest.LogCaptureFixture) -> None:
    torch._dynamo.reset()
    want = train(None, compiled=backend)
    torch._dynamo.reset()
    assert train(tmp_path, config("1"), compiled=backend) == want
    found = arrays(tmp_path, 1)
    border = "Default__backbone-Twice_Twice-op0"
    assert found[f"{border}.input.0"].shape == (3, 1, 4, 4)
    assert found[f"{border}.output.0"].shape == (3, 4)
    assert found["Gradients_Default__backbone-Twice_Grad_Twice_Twice-op0.input.0"].shape == (3, 4)
    assert not [key for key in found if "Linear" in key]
    assert any(key.startswith("Default_optimizer-SGD") for key in found)
    assert any("torch.compile fuses operators" in line for line in warnings(caplog))


def test_recomputed_operators_count_again(tmp_path: Path) -> None:
    from torch.utils.checkpoint import checkpoint

    net = Twice()
    with Dump(net, config("0"), path=tmp_path):
        checkpoint(net, torch.ones(1, 1, 4, 4), use_reentrant=False).sum().backward()
    assert sum(name == f"{LINEAR}/addmm-op{number}" for name in order(tmp_path) for number in range(4)) >= 2


@pytest.mark.filterwarnings("ignore")
def test_lightning(tmp_path: Path) -> None:
    package = pytest.importorskip("lightning.pytorch")
    from test_lightning import module_of

    from mindscope.torch.integrations.lightning import DumpCallback

    for directory, accumulated in (("each", 1), ("two", 2)):
        trainer = package.Trainer(
            max_epochs=1, callbacks=[DumpCallback(Dump(config=config("1|7"), path=tmp_path / directory))], logger=False,
            enable_progress_bar=False, accelerator="cpu", enable_model_summary=False, enable_checkpointing=False,
            default_root_dir=tmp_path, accumulate_grad_batches=accumulated,
        )  # fmt: skip
        trainer.fit(module_of("lightning.pytorch"), batches(), batches())
        assert iterations(tmp_path / directory) == [1]
        names = order(tmp_path / directory)
        assert sum(name.rpartition("/")[2].startswith("addmm-op") for name in names) == accumulated
        assert any(name.startswith("Default/optimizer-SGD/") for name in names)
    with pytest.raises(TypeError, match="dump is int"):
        DumpCallback(3)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore")
def test_transformers(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from test_transformers import trainer_of

    from mindscope.torch import SummaryCollector
    from mindscope.torch.integrations.transformers import DumpCallback

    trainer = trainer_of(tmp_path, SummaryCollector(tmp_path / "run"))
    trainer.add_callback(DumpCallback(Dump(config=config("2"), path=tmp_path / "dump")))
    trainer.train()
    assert iterations(tmp_path / "dump") == [2]
    assert any(
        name.startswith("Default/_backbone-ViTForImageClassification/vit-ViTModel/")
        for name in order(tmp_path / "dump")
    )


DISTRIBUTED = """
import sys, torch, torch.distributed.fsdp
from dumps import Twice, config
from mindscope.torch import Dump
torch.distributed.init_process_group("gloo")
torch.manual_seed(0)
wrapped = {wrap}
optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1)
with Dump(wrapped, config("1", saved_data="full"), path=sys.argv[1]) as dump:
    for step in range(2):
        wrapped(torch.full((2, 1, 4, 4), 1.0 + torch.distributed.get_rank())).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        dump.step()
del wrapped, optimizer, dump  # the reducer must not be the last to hold the group: torch can hang then
torch.distributed.destroy_process_group()
"""
WRAPPERS = {
    "ddp": "torch.nn.parallel.DistributedDataParallel(Twice())",
    "fsdp2": "torch.distributed.fsdp.fully_shard(Twice(), mesh=torch.distributed.init_device_mesh('cpu', (2,)))",
}


@pytest.mark.parametrize("kind", WRAPPERS)
def test_each_rank_has_a_directory(tmp_path: Path, kind: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(DISTRIBUTED.format(wrap=WRAPPERS[kind]))
    done = run_ranks(script, str(tmp_path))
    assert done.returncode == 0, done.stderr
    for rank in (0, 1):
        found = {key.replace("FSDPTwice", "Twice"): array for key, array in arrays(tmp_path, 1, rank).items()}
        images = found["Default__backbone-Twice_conv-Conv2d_convolution-op0.input.0"]
        np.testing.assert_array_equal(images, np.full((2, 1, 4, 4), 1.0 + rank))
        assert any(key.startswith(f"Gradients_{FILE_LINEAR}_Grad_addmm_mm") for key in found)
        assert "Parameter.conv_weight" in found
