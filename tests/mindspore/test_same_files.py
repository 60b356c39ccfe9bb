# SPDX-License-Identifier: Apache-2.0
"""The files of the drop-in beside those of MindSpore's own classes, event by event: equal but for mended faults.

The mended faults are those of ``docs/mindspore.md``; here each is a function that turns what MindSpore wrote into what
it should have written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded import Key, Recorded, Step, array, pixels, read

from mindscope.graph.data.dataset import read_dataset_graph

pytestmark = [pytest.mark.framework, pytest.mark.timeout(1200)]  # the first waits for the scripts
SHAPES = "specified default operators sunk fitted loop pynative".split()
RUNS = [*SHAPES, *(f"sweep/run_{number}" for number in range(4)), "landscape/unit_step", "landscape/unit_epoch"]


@pytest.fixture(params=RUNS)
def pair(request: pytest.FixtureRequest, shapes: dict[str, Path]) -> tuple[str, Recorded, Recorded]:
    """The name of a run, what MindSpore wrote, what we wrote."""
    return request.param, read(shapes["own"] / request.param), read(shapes["ours"] / request.param)


def fold_repetitions(steps: list[Step]) -> list[Step]:
    """Mended: the first step is written in two events, and the last of an epoch twice."""
    folded: list[Step] = []
    for each in steps:
        if folded and folded[-1].step == each.step and each.step > 0:
            known = set(folded[-1].keys)
            folded[-1].values += [(key, value) for key, value in each.values if key not in known]
        else:
            folded.append(Step(each.step, list(each.values)))
    return folded


def give_back_first_step(steps: list[Step]) -> list[Step]:
    """Mended: in a loop of one's own the first values go, with the graph, into the event of the second step."""
    first, rest = steps[0], steps[1:]
    assert first.step == 2
    earlier = [value for place, value in enumerate(first.values) if first.keys.index(value[0]) == place]
    later = [value for place, value in enumerate(first.values) if first.keys.index(value[0]) != place]
    return [Step(1, earlier), Step(2, later), *rest]


def keep_newest(steps: list[Step]) -> list[Step]:
    """Mended: of a tag added twice in a step both values are written, though only the newest is promised."""
    return [Step(each.step, list(dict(each.values).items())) for each in steps]


RATE = ("scalar", "learning_rate/auto")
EVALUATED = [("scalar", "eval_Accuracy/auto"), ("scalar", "eval_loss/auto")]


def what_both_record(steps: list[Step]) -> list[Step]:
    """Mended, the other way round: MindSpore records no evaluation of a fit, no curve of the learning rate, and
    no landscape before it is complete.
    """
    shared = [each for each in steps if each.keys != EVALUATED]
    plain = [Step(each.step, [value for value in each.values if value[0] != RATE]) for each in shared]
    return [each for each in plain if not is_partial(each)]


def is_partial(step: Step) -> bool:
    """Whether its landscape is shown while the rest is computed."""
    facts = [value["facts"] for (kind, _), value in step.values if kind == "landscape"]
    return any(each["points_done"] < each["points_total"] for each in facts)


def mended(name: str, steps: list[Step]) -> list[Step]:
    return keep_newest(fold_repetitions(give_back_first_step(steps) if name == "loop" else steps))


def test_files_have_the_same_names_and_modes(pair: tuple[str, Recorded, Recorded]) -> None:
    name, own, ours = pair

    def plain(recorded: Recorded) -> list[str]:
        return sorted(re.sub(r"\.\d{10}\.", ".SECOND.", each) for each in recorded.names)

    assert plain(ours) == plain(own), name
    assert set(ours.modes) == set(own.modes) == {0o400}


def test_events_have_the_same_steps_tags_and_kinds(pair: tuple[str, Recorded, Recorded]) -> None:
    name, own, ours = pair
    want = [(each.step, sorted(each.keys)) for each in mended(name, own.steps)]
    got = [(each.step, sorted(each.keys)) for each in what_both_record(ours.steps)]
    assert got == want
    evaluated = [each.step for each in ours.steps if each.keys == EVALUATED]
    assert evaluated == ([4, 8] if name == "fitted" else [])


def test_values_are_the_same(pair: tuple[str, Recorded, Recorded]) -> None:
    name, own, ours = pair
    compared = 0
    for theirs, our in zip(mended(name, own.steps), what_both_record(ours.steps), strict=True):
        got = dict(our.values)
        for key, value in theirs.values:
            COMPARE[key[0]](f"{name} {key} at {theirs.step}", key, value, got[key])
            compared += 1
    assert compared >= 10


def compare_scalars(place: str, key: Key, want: Any, got: Any) -> None:
    assert np.float32(got) == np.float32(want), place


def compare_images(place: str, key: Key, want: Any, got: Any) -> None:
    """Mended: brightness is spread over all of 0 to 255, and bytes stay as they are."""
    theirs, our = pixels(want), pixels(got)
    assert our.shape == theirs.shape, place
    if key[1] == "input":  # within 0 and 1: times 255, which they cut off and we round
        assert np.abs(our - theirs).max() <= 1, place
        return
    slope, offset = np.polyfit(theirs.reshape(-1), our.reshape(-1), 1)
    assert np.abs(our - (slope * theirs + offset)).max() <= 2, place


def compare_histograms(place: str, key: Key, want: Any, got: Any) -> None:
    """Mended: edges are computed in float64, so that no bucket is empty for its width."""
    for each in ("count", "nan_count", "pos_inf_count", "neg_inf_count"):
        assert got.get(each, 0) == want.get(each, 0), place
    assert got["min"] == pytest.approx(want["min"], rel=1e-6, abs=1e-30), place
    assert got["max"] == pytest.approx(want["max"], rel=1e-6, abs=1e-30), place
    assert got["sum"] == pytest.approx(want["sum"], rel=1e-3, abs=1e-3), place
    theirs, our = want["buckets"], got["buckets"]
    assert sum(each["count"] for each in our) == sum(each["count"] for each in theirs), place
    assert all(each["width"] > 0 for each in our), place
    if key[1] in ("int_hist", "one_elem"):  # theirs have buckets without width
        return
    assert len(our) == len(theirs), place
    width = our[0]["width"]
    np.testing.assert_allclose([e["left"] for e in our], [e["left"] for e in theirs], atol=width / 100, err_msg=place)
    moved = np.abs(np.cumsum([a["count"] - b["count"] for a, b in zip(our, theirs, strict=True)])).max()
    assert moved <= max(2, got["count"] // 50), place  # a value on an edge may fall to either side


def compare_tensors(place: str, key: Key, want: Any, got: Any) -> None:
    """Mended: integers and float64 keep all their digits."""
    assert got["dims"] == want["dims"], place
    assert got["data_type"] == want["data_type"], place
    np.testing.assert_array_equal(np.asarray(array(got), np.float32), np.asarray(array(want), np.float32), place)


def compare_landscapes(place: str, key: Key, want: Any, got: Any) -> None:
    """Mended: of a grid of even size the point of convergence is the result, not the cell beside it."""
    assert {**want["metadata"]} == {**got["metadata"]}, place
    for part in ("landscape", "loss_path"):
        theirs = want.get(part, {}).get("points", want.get(part, {}))
        our = got.get(part, {}).get("points", got.get(part, {}))
        assert theirs.keys() == our.keys(), place
        for axis in theirs:
            np.testing.assert_allclose(array(our[axis]), array(theirs[axis]), rtol=2e-5, atol=1e-6, err_msg=place)
    assert list(got.get("loss_path", {}).get("intervals", [])) == list(want.get("loss_path", {}).get("intervals", []))
    is_between = len(array(want["landscape"]["x"])) % 2 == 0 and want["metadata"]["decomposition"] == "Random"
    for axis in "xyz":
        theirs, our = array(want["convergence_point"][axis]), array(got["convergence_point"][axis])
        if not is_between:
            np.testing.assert_allclose(our, theirs, rtol=2e-5, atol=1e-6, err_msg=place)
        elif axis != "z":
            assert float(our[0]) == 0, place


COMPARE = {
    "scalar": compare_scalars, "image": compare_images, "histogram": compare_histograms, "tensor": compare_tensors,
    "landscape": compare_landscapes,
}  # fmt: skip


def test_graphs_are_the_same(pair: tuple[str, Recorded, Recorded]) -> None:
    name, own, ours = pair
    if name == "pynative":  # mended: the structure of the cells where there is no graph
        assert not own.graphs
        (graph,) = ours.graphs
        assert "cell structure" in graph["name"]
        return
    assert len(ours.graphs) == len(own.graphs) == 1
    got, want = ours.graphs[0], own.graphs[0]
    assert got["node"] == want["node"]
    assert got.get("parameters") == want.get("parameters")
    assert got.get("const_vals") == want.get("const_vals")
    assert got.get("outputs") == want.get("outputs")


def test_lineage_is_the_same(pair: tuple[str, Recorded, Recorded], shapes: dict[str, Path]) -> None:
    name, own, ours = pair
    want = [(kind, plain(kind, message, str(shapes["own"]))) for kind, message in own.lineage]
    got = [(kind, plain(kind, message, str(shapes["ours"]))) for kind, message in ours.lineage]
    if name == "fitted":  # mended: evaluations of fit are recorded
        assert [kind for kind, _ in got].count("evaluation_lineage") == 2
        got = [each for each in got if each[0] != "evaluation_lineage"]
    if name == "sweep/run_1":  # mended: numbers and arrays of NumPy don't drop all metrics
        (place,) = [place for place, (kind, _) in enumerate(got) if kind == "evaluation_lineage"]
        metric = json.loads(got[place][1].pop("metric"))
        assert set(metric) == {"Accuracy", "Loss", "Recall"}
        assert len(metric["Recall"]) == 10
    assert newest_training(got) == want


def newest_training(lineage: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Mended: MindSpore writes the lineage of a training at its end only, so a killed one has none."""
    kinds = [kind for kind, _ in lineage]
    last = len(kinds) - 1 - kinds[::-1].index("train_lineage") if "train_lineage" in kinds else -1
    return [each for place, each in enumerate(lineage) if each[0] != "train_lineage" or place == last]


def plain(kind: str, message: Any, directory: str) -> Any:
    if kind == "dataset_graph":
        return repr(read_dataset_graph(message)).replace(directory, "DIRECTORY")
    if kind == "train_lineage" and not message["model"].get("size"):  # mended: without a checkpoint there is no size
        message = message | {"model": {"path": message["model"]["path"]}}
    return json.loads(json.dumps(message).replace(directory, "DIRECTORY"))


def test_exported_tensors_are_the_same(shapes: dict[str, Path]) -> None:
    def exported(which: str) -> dict[str, Any]:
        (directory,) = (shapes[which] / "operators").glob("export_*")
        return {file.name: np.load(file) for file in (directory / "tensor").glob("*.npy")}

    own, ours = exported("own"), exported("ours")
    assert own.keys() == ours.keys()
    assert len(own) > 20
    for name in own:
        np.testing.assert_array_equal(ours[name], own[name])


@pytest.mark.parametrize("run", ["default", "landscape/unit_step", "landscape/unit_epoch"])
def test_weights_for_landscapes_are_the_same(run: str, shapes: dict[str, Path]) -> None:
    mindspore: Any = pytest.importorskip("mindspore")
    own, ours = shapes["own"] / run / "ckpt_dir", shapes["ours"] / run / "ckpt_dir"
    names = sorted(file.name for file in ours.iterdir() if file.suffix != ".losses")  # of landscapes, to continue them
    assert names == sorted(file.name for file in own.iterdir())
    texts = [file.joinpath("train_metadata.json").read_text("utf-8") for file in (own, ours)]
    want, got = (
        json.loads(text.replace(str(shapes[which]), "DIRECTORY"))
        for text, which in zip(texts, ("own", "ours"), strict=True)
    )
    assert got == want
    for file in sorted(own.glob("*.ckpt"))[::3]:
        theirs, our = mindspore.load_checkpoint(str(file)), mindspore.load_checkpoint(str(ours / file.name))
        assert list(our) == list(theirs)
        for name in theirs:
            np.testing.assert_array_equal(our[name].asnumpy(), theirs[name].asnumpy())
