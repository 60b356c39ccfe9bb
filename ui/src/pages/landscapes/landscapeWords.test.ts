// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import type { Landscape, LandscapeFacts } from "../../core/landscapes/landscape";
import type { Flatness } from "../../core/landscapes/flatness";
import { directionTexts, flatnessTexts } from "./landscapeWords";

function line(run: string, plane_id: string, method = "line", rows = 1): Landscape {
  const facts: LandscapeFacts = {
    ...{ method, plane_id, degenerate: "", failure: "", explained_variance: [], normalization: "", num_samples: 0, seed: null },
    ...{ evaluation: "", dtype: "", dtype_error: null, seconds: 0, points_done: 0, points_total: 0, seconds_left: null },
  };
  return {
    ...{ run, tag: "tag", id: "1", unit: "step", step_per_epoch: 0, decomposition: "Line", evaluated: null, path: null, convergence: null },
    ...{ x: Float64Array.of(0, 1), y: new Float64Array(rows), losses: new Float64Array(2 * rows), facts },
  };
}

it("says that lines of one picture have different directions, and what their ends are", () => {
  expect(directionTexts([line("a", "p"), line("b", "q")])).toEqual([
    "These lines have different directions: the same coordinate is different weights.",
    "On each line, 0 is the first checkpoint and 1 is the last.",
  ]);
  expect(directionTexts([line("a", "p"), line("b", "q", "")])).toHaveLength(1);
  expect(directionTexts([line("a", ""), line("b", "")])).toHaveLength(2);
});

it("says nothing of one line, of one direction and of planes", () => {
  expect(directionTexts([line("a", "p")])).toEqual([]);
  expect(directionTexts([line("a", "p"), line("b", "p")])).toEqual([]);
  expect(directionTexts([line("a", "p", "pca", 2), line("b", "p", "pca", 2)])).toEqual([]);
});

function flat(...runs: [string, number | null, number | null, number | null][]): Flatness {
  return {
    radius: 0.05,
    isCommon: false,
    method: "pca",
    runs: runs.map(([run, mean, highest, lowest]) => ({ run, mean, highest, lowest })),
  };
}

const texts = (found: Flatness): string => flatnessTexts(found, (run) => `run ${run}`).join(" ");

it("says how flat one end is, and which of several is flattest", () => {
  expect(texts(flat(["a", 0.1, 0.25, 0]))).toBe(
    "At 5 % of the weights' norm from the last checkpoint, the loss rises by 0.100 on average and by 0.250 at most.",
  );
  expect(texts(flat(["a", 0.1, 0.2, 0], ["b", 0.2, 0.2, 0], ["c", 0.42, 0.42, 0]))).toBe(
    "Flattest: run a. At 5 % of the weights' norm from the last checkpoint, the loss rises by 0.100. Sharpest: run c, by 0.420, 4.2 times as much.",
  );
});

it("names no winner where runs are about equal, and no factor of an infinite or negative rise", () => {
  expect(texts(flat(["a", 0.1, 0.2, 0], ["b", 0.105, 0.2, 0]))).toBe(
    "About equally flat: at 5 % of the weights' norm from the last checkpoints, the loss rises by 0.100 to 0.105.",
  );
  expect(texts(flat(["a", 0.1, 0.2, 0], ["b", null, null, 0]))).toContain("Sharpest: run b, by infinity.");
  expect(texts(flat(["a", -0.1, 0.2, 0], ["b", 0.1, 0.2, 0]))).toContain("Sharpest: run b, by 0.100.");
});

it("says that a training did not end in a minimum", () => {
  expect(texts(flat(["a", 0.1, 0.2, -0.1]))).toContain("The loss of run a falls by 0.100 in some directions");
  expect(texts(flat(["a", 0.1, 0.2, -0.1], ["b", 0.1, 0.2, -0.1]))).toContain("The loss of 2 runs falls in some directions");
});
