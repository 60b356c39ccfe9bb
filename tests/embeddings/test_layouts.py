# SPDX-License-Identifier: Apache-2.0
"""t-SNE and UMAP of the page, run by Node.js, against scikit-learn: how trustworthy they are on digits."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness

from mindscope.embeddings.components import principal_components
from mindscope.embeddings.neighbors import neighbor_graph

ROOT = Path(__file__).parents[2]
LOADED: Any = load_digits()
DIGITS: np.ndarray = LOADED.data.astype(np.float32)
NEIGHBORS = {"tsne": 90, "umap": 15}


@cache
def program(folder: Path) -> Path:
    esbuild = ROOT / "ui/node_modules/.bin/esbuild"
    if shutil.which("node") is None or not esbuild.exists():
        pytest.skip("needs Node.js and the packages of the page")
    target = folder / "run_layout.mjs"
    source = ROOT / "tests/embeddings/run_layout.ts"
    alias = f"--alias:umap-js={ROOT / 'ui/node_modules/umap-js'}"
    arguments = [esbuild, source, "--bundle", "--platform=node", "--format=esm", alias, f"--outfile={target}"]
    subprocess.run(arguments, check=True, capture_output=True)
    return target


def layout(folder: Path, vectors: np.ndarray, method: str, dims: int = 2, **job: Any) -> np.ndarray:
    graph = neighbor_graph(vectors, NEIGHBORS[method])
    settings = {"method": method, "dims": dims, "perplexity": 30, "seed": 0} | job
    settings |= {"count": graph.neighbors.shape[1], "neighbors": graph.neighbors.ravel().tolist()}
    settings["distances"] = graph.distances.ravel().tolist()
    settings["initial"] = principal_components(vectors).coordinates[:, :dims].ravel().tolist()
    request, answer = folder / "job.json", folder / "places.json"
    request.write_text(json.dumps(settings))
    subprocess.run(["node", program(folder), request, answer], check=True)
    return np.array(json.loads(answer.read_text())["places"]).reshape(-1, dims)


@pytest.mark.parametrize(("method", "dims", "least"), [("tsne", 2, 0.98), ("tsne", 3, 0.98), ("umap", 2, 0.97)])
def test_neighbors_stay_neighbors(tmp_path: Path, method: str, dims: int, least: float) -> None:
    places = layout(tmp_path, DIGITS, method, dims)
    assert trustworthiness(DIGITS, places, n_neighbors=10) > least
    by_components = principal_components(DIGITS).coordinates[:, :dims]
    assert trustworthiness(DIGITS, by_components, n_neighbors=10) < least - 0.03


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_equal_seeds_give_equal_places(tmp_path: Path, method: str) -> None:
    first, second = (layout(tmp_path, DIGITS[:150], method) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_equal_vectors_have_finite_places(tmp_path: Path, method: str) -> None:
    vectors = np.repeat(DIGITS[:10], 20, axis=0)
    assert np.isfinite(layout(tmp_path, vectors, method)).all()
