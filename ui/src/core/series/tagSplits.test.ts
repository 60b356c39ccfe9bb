// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { measureOf, splitPairs, splitTag } from "./tagSplits";

describe("the data that a tag is of", () => {
  it.each([
    ["train/loss", "loss", "train"],
    ["val_loss", "loss", "held_out"],
    ["loss/Valid", "loss", "held_out"],
    ["epoch_val_loss", "epoch_loss", "held_out"],
    ["head/eval/acc", "head/acc", "held_out"],
    ["trainable/loss", "trainable/loss", null],
    ["interval_ms", "interval_ms", null],
    ["train", "train", null],
  ])("of %s is what it is without: %s", (tag, rest, split) => {
    expect(splitTag(tag)).toEqual({ rest, split });
  });

  it("pairs tags of training and of held-out data, and no others", () => {
    expect(splitPairs(["val/loss", "train/loss", "lr", "loss", "train/only", "acc", "val_acc", "test_acc"])).toEqual([
      ["train/loss", "val/loss"],
      ["acc", "val_acc", "test_acc"],
    ]);
    expect(splitPairs(["val/loss", "test/loss", "train/lr"])).toEqual([]);
  });

  it("is no measure", () => {
    expect(["train/loss", "val/loss", "loss/train", "val_loss"].map(measureOf)).toEqual(["loss", "loss", "loss", "loss"]);
    expect(measureOf("accuracy/train")).toBe("accuracy");
  });
});
