// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import type { LandscapeEntry } from "../../state/data/landscapes";
import { defaultChoice } from "./defaultChoice";

function entry(run: string, tag: string, plane_id: string, interval: number[] = [1, 2]): LandscapeEntry {
  return {
    ...{ run, tag, plane_id, interval, id: "1", problem: null, columns: 5, rows: 5, unit: "step", step_per_epoch: 0 },
    ...{ decomposition: "PCA", method: "pca", points_done: 25, points_total: 25, seconds_left: null, failure: "", rise: null },
  };
}

const chosen = (entries: LandscapeEntry[]): string[] => defaultChoice(entries).map(({ run, tag }) => `${run} ${tag}`);

it("chooses the plane that most runs share, and of other runs the last path", () => {
  const entries = [
    ...[entry("a", "common", "ab"), entry("a", "later", "only a")],
    ...[entry("b", "common", "ab"), entry("b", "later", "only b")],
    ...[entry("c", "first", "only c"), entry("c", "last", ""), entry("c", "around", "", [])],
  ];
  expect(chosen(entries)).toEqual(["a common", "b common", "c last"]);
});

it("takes an id of one run, or none, for no common plane", () => {
  expect(chosen([entry("a", "first", "x"), entry("a", "last", "x")])).toEqual(["a last"]);
  expect(chosen([entry("a", "first", ""), entry("a", "last", ""), entry("b", "first", "")])).toEqual(["a last", "b first"]);
});
