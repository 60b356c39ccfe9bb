# SPDX-License-Identifier: Apache-2.0
"""Names of the real logs in the place of made-up ones, so that a request has something to be answered with."""

from __future__ import annotations

from functools import cache
from typing import Any
from zlib import crc32

from mindscope.analysis.value_ids import value_ids
from mindscope.ingest import Catalog
from mindscope.store import ReferenceSeries

MINDSPORE, TENSORBOARD = "mindspore/custom_loop", "tensorboard/tb_all/run_a"
NAMES_OF = {
    "scalars": (MINDSPORE, "train/loss"),
    "histograms": (MINDSPORE, "fc1.weight"),
    "images": (MINDSPORE, "rgb_uint8"),
    "image": (MINDSPORE, "rgb_uint8"),
    "tensor": (MINDSPORE, "t3d_f16"),
    "curves": (TENSORBOARD, "loss/train"),
    "text": (TENSORBOARD, "note/text_summary"),
    "audio": (TENSORBOARD, "tone"),
    "pr_curves": (TENSORBOARD, "pr"),
}
"""By the beginning of an address: what it can tell something about."""
NAMES = [*NAMES_OF.values()]
KINDS = {"t3d_f16": "tensor", "note/text_summary": "text", "tone": "audio"}
SLICES = [[], ["0", ":", "::2"], [":", "-1", "1:3"], ["1", "2", "3"], [":", ":", "0"]]
"""Those that can be taken of the tensor."""
FORMULAS = ["`train/loss` * 2", "`loss/train` - lr", "1 - `loss/auto`", "loss +"]
FILTERS = ["run == 'a'", "`fact/state` in ['live', 'idle'] or not run > 'b'", "`fact/start` is missing and 1 < 2"]
"""A made-up filter is refused, like a made-up slice."""


class RealNames:
    """Puts names of the logs of ``catalog`` into what was made up."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.newest_value = cache(self._newest_value)

    def put_in(self, path: str, sent: Any) -> Any:
        """Query or body of a request, three in four of its names changed for real ones that fit the address."""
        if isinstance(sent, list):
            return [self.put_in(path, each) for each in sent]
        if not isinstance(sent, dict):
            return sent
        made_up = {name: self.put_in(path, each) for name, each in sent.items()}
        number = crc32(repr(sent).encode("utf-8", "surrogatepass"))
        real = self._real(path, number // 4) if number % 4 else {}
        fitting = {name: each for name, each in real.items() if isinstance(made_up.get(name), type(each))}
        slices = {"slice": SLICES[number % len(SLICES)]} if "slice" in made_up else {}
        filters = {"where": FILTERS[number % len(FILTERS)]} if isinstance(made_up.get("where"), str) else {}
        return {**made_up, **fitting, **slices, **filters}

    def _real(self, path: str, number: int) -> dict[str, Any]:
        run, tag = NAMES_OF.get(path.split("/")[2].partition(".")[0]) or NAMES[number % len(NAMES)]
        kind = {"kind": KINDS[tag]} if path == "/api/values" and tag in KINDS else {}
        formula = FORMULAS[number % len(FORMULAS)]
        return {"run": run, "tag": tag, "id": self.newest_value(run, tag), "y": formula, "runs": [run, "nix"], **kind}

    def _newest_value(self, run: str, tag: str) -> str:
        """The id of the newest value of a tag; "" when it has only scalars."""
        found = [series for (_, name), series in self._catalog.run(run).series.items() if name == tag]
        return next((value_ids(each.visible())[-1] for each in found if isinstance(each, ReferenceSeries)), "")
