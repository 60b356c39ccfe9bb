# SPDX-License-Identifier: Apache-2.0
"""Fine-tunes a tiny random language model with the SFTTrainer of TRL; it needs no network."""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

import mindscope.torch.integrations.transformers  # noqa: F401 (adds the name for report_to)

WORDS = "a run records what the training logs and the page shows it".split()


def tokenizer() -> PreTrainedTokenizerFast:
    words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(["<pad>", "<eos>", *sorted(set(WORDS))])}))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")


def trained(directory: Path, report_to: Any) -> dict[str, Any]:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=16, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=32, pad_token_id=0, eos_token_id=1, bos_token_id=1,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    arguments = SFTConfig(
        str(directory), report_to=report_to, max_steps=3, logging_steps=1, per_device_train_batch_size=2, use_cpu=True,
        disable_tqdm=True, save_strategy="no", max_length=16, bf16=False, gradient_checkpointing=False, seed=1,
    )  # fmt: skip
    data = Dataset.from_dict({"text": [" ".join(WORDS[start : start + 6]) for start in range(6)]})
    trainer = SFTTrainer(model, arguments, train_dataset=data, processing_class=tokenizer())
    trainer.train()
    weights = [float(value.double().sum()) for value in trainer.model.parameters()]
    return {"log": [row for row in trainer.state.log_history if "loss" in row], "weights": weights}


if __name__ == "__main__":
    base = Path(sys.argv[1])
    print(json.dumps({"ours": trained(base / "ours", "mindscope"), "plain": trained(base / "plain", [])}))
