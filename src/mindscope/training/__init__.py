# SPDX-License-Identifier: Apache-2.0
"""Events of a training, for all that observe one and for all trainers that report them."""

from mindscope.training.observer import Step, Training, TrainingFacts, TrainingObserver

__all__ = ["Step", "Training", "TrainingFacts", "TrainingObserver"]
