# SPDX-License-Identifier: Apache-2.0
"""A training by Keras in a process of its own, as the backend is chosen at the import; prints what Keras reports."""

from __future__ import annotations

import hashlib
import json
import sys

import keras
import numpy as np

from mindscope.integrations.keras import MindscopeCallback

keras.utils.set_random_seed(0)
images, labels = np.random.default_rng(0).random((32, 6, 6, 1), np.float32), np.arange(32) % 3
model = keras.Sequential(
    [
        keras.layers.Input((6, 6, 1)), keras.layers.Conv2D(2, 3, name="conv"), keras.layers.Flatten(),
        keras.layers.Dropout(0.5), keras.layers.Dense(3, name="dense"),
    ]
)  # fmt: skip
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.SGD(0.05), loss, metrics=["accuracy"])
batches: list[float] = []


class Batches(keras.callbacks.Callback):
    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        batches.append((logs or {})["loss"])


callbacks = [Batches()]
if len(sys.argv) > 1:
    options = json.loads(sys.argv[2])
    callbacks.append(MindscopeCallback(sys.argv[1], **options))
history = model.fit(images, labels, 8, epochs=2, validation_split=0.25, verbose=0, callbacks=callbacks)
if len(sys.argv) > 1:
    model.evaluate(images, labels, 8, verbose=0, callbacks=callbacks[1:])
digest = hashlib.sha256(b"".join(keras.ops.convert_to_numpy(weight).tobytes() for weight in model.weights)).hexdigest()
modules = [name for name in ("tensorflow",) if name in sys.modules]
print(json.dumps({"history": history.history, "batches": batches, "digest": digest, "modules": modules}))
