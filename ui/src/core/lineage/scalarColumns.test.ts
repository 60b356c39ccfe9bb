// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { proposedTag, scalarColumn, tagOfColumn, tagPattern, tagsOfMetric } from "./scalarColumns";

const counted = (...tags: string[]): { tag: string; count: number }[] => tags.map((tag) => ({ tag, count: 4 }));

test("a column names its tag", () => {
  expect(tagOfColumn(scalarColumn("val/loss:0", "min_step"))).toBe("val/loss:0");
  expect(tagOfColumn("metric/loss:last")).toBeNull();
  expect(tagOfColumn("scalar/loss")).toBeNull();
});

test("the pattern of a tag matches nothing else", () => {
  expect(tagPattern("loss[0]/a*b?")).toBe("loss[[]0]/a[*]b[?]");
});

test("results of held-out data come first, then losses, then other scores", () => {
  expect(proposedTag(counted("lr", "train/loss", "val/loss", "val/accuracy"))).toBe("val/accuracy");
  expect(proposedTag(counted("lr", "train/loss", "valLoss", "accuracy"))).toBe("valLoss");
  expect(proposedTag(counted("accuracy", "train/loss", "loss", "closs"))).toBe("loss");
  expect(proposedTag(counted("step_time", "train_acc"))).toBe("train_acc");
  expect(proposedTag(counted("lr", "weights/norm", "latest"))).toBeNull();
  expect(proposedTag([])).toBeNull();
});

test("a tag of few runs is not the main metric", () => {
  expect(proposedTag([...counted("loss"), { tag: "val/accuracy", count: 1 }])).toBe("loss");
});

test("a metric has the curve of its name, else those of held-out data that name it", () => {
  expect(tagsOfMetric("accuracy", ["val/accuracy", "accuracy", "accuracy/train"])).toEqual(["accuracy"]);
  const tags = ["accuracy/train", "eval_accuracy/auto", "accuracy/test", "val/inaccuracy", "valLoss", "lr"];
  expect(tagsOfMetric("Accuracy", tags)).toEqual(["accuracy/test", "eval_accuracy/auto"]);
  expect(tagsOfMetric("loss", tags)).toEqual(["valLoss"]);
  expect(tagsOfMetric("f1", tags)).toEqual([]);
  expect(tagsOfMetric("", tags)).toEqual([]);
});
