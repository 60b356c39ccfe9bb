# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import gymnasium
import matplotlib as mpl
import numpy as np
from harness import Planted, curve, digest, run
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Figure, HParam, Image, KVWriter, Logger, Video

from mindscope.integrations.stable_baselines3 import MindscopeCallback, MindscopeWriter

mpl.use("agg")


class Kept(KVWriter):
    def __init__(self) -> None:
        self.rows: list[tuple[int, dict[str, Any]]] = []

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        given = {key: value for key, value in key_values.items() if "tensorboard" not in (key_excluded[key] or ())}
        self.rows.append((step, {key: value for key, value in given.items() if not isinstance(value, str)}))

    def close(self) -> None: ...


class Fails(BaseCallback):
    def _on_step(self) -> bool:
        if self.num_timesteps > 40:
            raise Planted
        return True


class Media(BaseCallback):
    def _on_step(self) -> bool:
        if self.num_timesteps == 10:
            from matplotlib.figure import Figure as Plot

            plot = Plot()
            plot.subplots().plot([1, 2])
            values: dict[str, Any] = {
                "media/image": Image(np.zeros((8, 8, 3), np.uint8), "HWC"), "media/figure": Figure(plot, close=False),
                "media/video": Video(np.zeros((1, 3, 3, 8, 8), np.uint8), 4.0), "media/weights": np.arange(5.0),
                "media/hparam": HParam({"depth": 3}, {"score": 1.5}), "media/text": "some words", "hidden": 1.0,
            }  # fmt: skip
            for key, value in values.items():
                self.logger.record(key, value, exclude=("stdout", *(["tensorboard"] if key == "hidden" else [])))
        return True


def train(log_dir: Path | None, fails: bool) -> dict[str, Any]:
    kept = Kept()
    model = PPO("MlpPolicy", gymnasium.make("CartPole-v1"), n_steps=32, batch_size=16, n_epochs=1, seed=0, device="cpu")
    model.set_logger(Logger(None, [kept]))
    callbacks: list[BaseCallback] = [] if log_dir is None else [MindscopeCallback(log_dir)]
    callbacks += [Fails()] if fails else [Media()]
    model.learn(96, callback=callbacks)
    assert model.logger.output_formats == [kept]
    names = [name for name in kept.rows[-1][1] if name != "time/fps"]
    rows = {name: [(step, row[name]) for step, row in kept.rows if name in row] for name in names}
    return {
        "digest": digest(*(value.detach().numpy() for value in model.policy.parameters())),
        "curves": {
            name: curve([step for step, _ in pairs], [value for _, value in pairs])
            for name, pairs in rows.items()
            if name != "time/time_elapsed"
        },
    }


def more(base: Path) -> None:
    model = PPO("MlpPolicy", gymnasium.make("CartPole-v1"), n_steps=32, batch_size=16, n_epochs=1, seed=0, device="cpu")
    model.set_logger(Logger(None, [MindscopeWriter(base / "writer")]))
    model.learn(64)
    model.logger.close()


if __name__ == "__main__":
    run(train, more)
