// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { jsonNumbers, jsonTable } from "./json";

describe("a table as JSON", () => {
  it("names every cell, and holds as text what JSON has no number for", () => {
    const rows = [
      ["a", 1.5, true],
      ["b", NaN, null],
      ["c", -Infinity],
    ];
    expect(JSON.parse(jsonTable(["run", "last", "ok"], rows))).toEqual([
      { run: "a", last: 1.5, ok: true },
      { run: "b", last: "NaN", ok: null },
      { run: "c", last: "-Infinity", ok: null },
    ]);
  });

  it("keeps the order of numbers", () => {
    expect(jsonNumbers(Float32Array.of(0.5, NaN, 2))).toEqual([0.5, "NaN", 2]);
  });
});
