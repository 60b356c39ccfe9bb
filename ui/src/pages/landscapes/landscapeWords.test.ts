// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import type { Landscape, LandscapeFacts } from "../../core/landscapes/landscape";
import { directionTexts } from "./landscapeWords";

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
