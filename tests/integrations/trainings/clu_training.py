# SPDX-License-Identifier: Apache-2.0
"""A training of JAX that writes by clu. ``clu.metric_writers`` imports TensorFlow, its modules for others do not."""

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
from harness import Planted, curve, digest, run

from mindscope.integrations.clu import MindscopeWriter

package = ModuleType("clu.metric_writers")
package.__path__ = [str(Path(find_spec("clu").submodule_search_locations[0]) / "metric_writers")]  # type: ignore
sys.modules["clu.metric_writers"] = package
MultiWriter = importlib.import_module("clu.metric_writers.multi_writer").MultiWriter
AsyncWriter = importlib.import_module("clu.metric_writers.async_writer").AsyncWriter
INTERFACE = importlib.import_module("clu.metric_writers.interface").MetricWriter


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    weights, losses = jnp.ones((4, 3)), []
    step_of = jax.jit(jax.value_and_grad(lambda values, inputs: jnp.square(inputs @ values).mean()))
    ours = None if log_dir is None else MindscopeWriter(log_dir)
    writer = None if ours is None else AsyncWriter(MultiWriter([ours]))
    if writer is not None:
        writer.write_hparams({"lr": 0.1, "width": 3})
    for step in range(5):
        loss, gradient = step_of(weights, jax.random.normal(jax.random.key(step), (8, 4)))
        weights -= 0.1 * gradient
        losses.append(float(loss))
        if writer is not None:
            writer.write_scalars(step, {"loss": loss})
        if fails and step == 3:
            raise Planted
    if writer is not None:
        images, sounds = jnp.full((2, 8, 8, 3), 0.5), jnp.zeros((2, 100, 1))
        writer.write_images(4, {"image": images, "single": images[0]})
        writer.write_videos(4, {"video": jnp.full((1, 3, 8, 8, 3), 7, jnp.uint8)})
        writer.write_audios(4, {"sound": sounds}, sample_rate=8000)
        writer.write_texts(4, {"note": "some words"})
        writer.write_histograms(4, {"weights": weights, "few": weights}, {"few": 4})
        writer.write_summaries(4, {"tensor": weights})
        writer.flush()
        writer.close()
    return {"digest": digest(weights), "curves": {"loss": curve(range(5), losses)}}


def more(base: Path) -> None:
    missing = {name for name in INTERFACE.__abstractmethods__ if not callable(getattr(MindscopeWriter, name, None))}
    assert not missing, missing
    assert "tensorflow" not in sys.modules


if __name__ == "__main__":
    run(train, more)
