// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { chartColumns, MOST_LINES, sqlCurves, type SqlColumn } from "./sqlChart";

function column(name: string, values: SqlColumn["values"], isNumber = true): SqlColumn {
  return { name, type: isNumber ? "double" : "string", is_number: isNumber, values };
}

const RUN = column("run", ["b", "a", "b", "a"], false);
const STEP = column("step", [2, 1, 1, 2]);
const VALUE = column("value", [0.2, "NaN", 0.1, null]);
const NONE = { x: null, y: null, by: null };

describe("chartColumns", () => {
  it("takes the first two columns of numbers, or those that are chosen", () => {
    expect(chartColumns([RUN, STEP, VALUE], NONE)).toEqual({ x: STEP, y: VALUE, by: null });
    expect(chartColumns([RUN, STEP, VALUE], { x: "value", y: null, by: "run" })).toEqual({ x: VALUE, y: STEP, by: RUN });
    expect(chartColumns([RUN, STEP, VALUE], { x: null, y: "step", by: "gone" })).toEqual({ x: VALUE, y: STEP, by: null });
  });

  it("is null without two columns of numbers", () => {
    expect(chartColumns([RUN, STEP], NONE)).toBeNull();
    expect(chartColumns([], NONE)).toBeNull();
  });
});

describe("sqlCurves", () => {
  it("draws a line for each text, sorted along the axis", () => {
    const { curves, leftOut } = sqlCurves({ x: STEP, y: VALUE, by: RUN });
    expect(curves.map(({ label, x, raw }) => [label, [...x], [...raw]])).toEqual([
      ["b", [1, 2], [0.1, 0.2]],
      ["a", [1, 2], [NaN, NaN]],
    ]);
    expect(leftOut).toBe(0);
  });

  it("leaves out rows without a place, and lines beyond the limit", () => {
    const names = Array.from({ length: MOST_LINES + 3 }, (_, row) => `run${row}`);
    const numbers = names.map((_, row) => row);
    const { curves, leftOut } = sqlCurves({ x: column("x", numbers), y: column("y", numbers), by: column("by", names, false) });
    expect([curves.length, leftOut]).toEqual([MOST_LINES, 3]);
    expect(sqlCurves({ x: column("x", ["NaN", null, 1]), y: column("y", [1, 2, 3]), by: null }).curves[0]!.x).toHaveLength(1);
  });
});
