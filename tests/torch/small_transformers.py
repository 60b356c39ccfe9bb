# SPDX-License-Identifier: Apache-2.0
"""A small real training by the Trainer of Transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from digits import digits


def small_trainer(directory: Path, samples: int, callbacks: list[Any] | None = None, **options: Any) -> Any:
    """A trainer of a vision transformer, one epoch with batches of 16 images."""
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        image_size=8, patch_size=4, num_channels=1, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, num_labels=10,
    )  # fmt: skip
    arguments = transformers.TrainingArguments(
        str(directory), num_train_epochs=1, per_device_train_batch_size=16, use_cpu=True, disable_tqdm=True,
        save_strategy="no", **options,
    )  # fmt: skip
    data = [{"pixel_values": image, "labels": label} for image, label in list(digits(samples))]
    model = transformers.ViTForImageClassification(config)
    return transformers.Trainer(model, arguments, train_dataset=data, callbacks=callbacks)
