// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fieldTree } from "./fieldTree";
import { sortedRuns } from "./runTable";

const EMPTY = {
  state: "idle",
  files: 1,
  size_bytes: 1,
  first_wall_time: null,
  last_wall_time: null,
  last_step: null,
  tags: {},
  damages: 0,
  dropped: 0,
  rank_of: null,
} as const;
const RATES: Readonly<Record<string, number>> = { a: 0.1, b: 0.02, c: 0.1 };
const FIELD = { name: "rate", valueOf: (run: string): number | null => RATES[run] ?? null, without: "without rate" };

function lines(isClosed: (key: string) => boolean): string[] {
  const runs = ["a", "b", "c", "d"].map((id) => ({ ...EMPTY, id }));
  return fieldTree(runs, FIELD, (some) => sortedRuns(some, "name", false), isClosed).map((row) =>
    row.kind === "group" ? row.label : row.run.id,
  );
}

describe("fieldTree", () => {
  it("puts runs under the value of the field, those without it last", () => {
    expect(lines(() => false)).toEqual(["rate = 0.02", "b", "rate = 0.1", "a", "c", "without rate", "d"]);
  });

  it("shows only the head of a closed group", () => {
    expect(lines((key) => key === "field rate 0.1")).toEqual(["rate = 0.02", "b", "rate = 0.1", "without rate", "d"]);
  });
});
