// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { mostDiffering } from "./mostDiffering";

it("has the tags in the order of their differences, NaN beside a number first and equal values last", () => {
  const last = (run: number, tag: number, value: number | string): { run: number; tag: number; last: number | string } => ({
    ...{ run, tag, last: value },
  });
  const found = mostDiffering(
    ["equal", "near", "far", "lost", "both lost"],
    [
      ...[last(0, 0, 3), last(1, 0, 3), last(0, 1, 10), last(1, 1, 9), last(0, 2, 1), last(1, 2, -1)],
      ...[last(0, 3, "NaN"), last(1, 3, 5), last(0, 4, "NaN"), last(1, 4, "NaN")],
    ],
  );
  expect(found.map(({ tag }) => tag)).toEqual(["far", "lost", "near", "equal", "both lost"]);
  expect(found.map(({ share }) => share)).toEqual([2, 2, 0.1, 0, 0]);
});

it("has metrics of the machine after those of the training, however much they differ", () => {
  const values = [1, 100, 1, 2].map((last, index) => ({ run: index % 2, tag: Math.floor(index / 2), last }));
  expect(mostDiffering(["system/disk/write_mib_per_s", "loss"], values).map(({ tag }) => tag)).toEqual([
    "loss",
    "system/disk/write_mib_per_s",
  ]);
});
