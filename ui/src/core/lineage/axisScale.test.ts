// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AxisScale } from "./axisScale";
import { brushesOf, gripAt, merged, movedSpan, spanBetween, spansOf } from "./brushSpans";
import { passesBrushes } from "./brushes";
import type { LineageCell, LineageColumn, ScaleKind } from "./column";

function scaleOf(cells: readonly LineageCell[], scale: ScaleKind, isTurned = false, rows?: readonly number[]): AxisScale {
  const column: LineageColumn = {
    id: "x",
    group: "parameter",
    name: "x",
    kind: "mixed",
    count: cells.length,
    low: null,
    high: null,
    differs: true,
    goal: "max",
    cells,
  };
  return new AxisScale({ column, scale, isTurned }, rows ?? cells.map((_, row) => row));
}

const positive = fc.array(
  fc.integer({ min: 1, max: 1e9 }).map((value) => value / 1e6),
  { minLength: 2, maxLength: 20 },
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const numeric = fc.constantFrom<ScaleKind>("linear", "log");

describe("an axis", () => {
  it("ends at the values of the drawn runs", () => {
    const scale = scaleOf([0, 5, 10, 100], "linear", false, [0, 1, 2]);
    expect([...scale.shares]).toEqual([0, 0.5, 1, 10]);
    expect(scale.range).toEqual([0, 10]);
  });

  it("orders categories naturally, each in the middle of its band", () => {
    expect([...scaleOf(["b_10", "b_2", "b_10", null], "category").shares]).toEqual([0.75, 0.25, 0.75, NaN]);
    expect([...scaleOf([512, 64, 1024, 64], "category").shares]).toEqual([0.5, 1 / 6, 5 / 6, 1 / 6]);
  });

  it("counts the runs without a place", () => {
    const cells = [1, 0, null, { number: "NaN" }, { number: "Infinity" }, "a"];
    expect([...scaleOf(cells, "log").gaps]).toEqual([
      ["not_positive", 1],
      ["missing", 1],
      ["nan", 1],
      ["positive_infinity", 1],
      ["not_a_number", 1],
    ]);
    expect([...scaleOf(cells, "category").gaps.keys()]).toEqual(["missing", "nan", "positive_infinity"]);
  });

  it("shows a single value in its middle", () => {
    for (const cells of [[3], [0], [-2]]) expect([...scaleOf(cells, "linear").shares]).toEqual([0.5]);
    expect(scaleOf([0.01], "log").shares[0]).toBeCloseTo(0.5);
  });

  it("puts large values at the lower end when it is turned", () => {
    expect([...scaleOf([1, 2, 3], "linear", true).shares]).toEqual([1, 0.5, 0]);
    expect([...scaleOf(["a", "b"], "category", true).shares]).toEqual([0.75, 0.25]);
  });

  it("has ticks with short labels", () => {
    expect(
      scaleOf([0, 10], "linear")
        .ticks(5)
        .map(({ label }) => label),
    ).toEqual(["0", "2", "4", "6", "8", "10"].slice(0, 6));
    expect(
      scaleOf([1e-5, 0.1], "log")
        .ticks(6)
        .map(({ label }) => label),
    ).toEqual(["1e−5", "1e−4", "1e−3", "0.01", "0.1"]);
    expect(
      scaleOf([...Array(10).keys()], "category")
        .ticks(5)
        .map(({ label }) => label),
    ).toEqual(["0", "2", "4", "6", "8"]);
  });

  it("has whole ticks for whole numbers, also those that are stored as floats", () => {
    const labels = (cells: readonly number[]): string[] =>
      scaleOf(cells, "linear")
        .ticks(8)
        .map(({ label }) => label);
    expect(labels([6, 9])).toEqual(["6", "7", "8", "9"]);
    expect(labels([0, 1])).toEqual(["0", "1"]);
    expect(labels([6, 9.5]).some((label) => label.includes("."))).toBe(true);
  });

  it("reads back what it places", () => {
    fc.assert(
      fc.property(positive, numeric, fc.boolean(), share, (cells, kind, isTurned, at) => {
        const scale = scaleOf(cells, kind, isTurned);
        expect(scale.shareOf(scale.valueAt(at))).toBeCloseTo(at, 2);
      }),
    );
  });
});

describe("brushes on an axis", () => {
  it("select the cells inside of their span", () => {
    fc.assert(
      fc.property(positive, numeric, fc.boolean(), share, share, (cells, kind, isTurned, one, other) => {
        const scale = scaleOf(cells, kind, isTurned);
        const span = spanBetween(one, other, scale);
        const brushes = brushesOf([span], scale, []);
        scale.shares.forEach((place, row) => {
          if (place > span.from + 1e-3 && place < span.to - 1e-3) expect(passesBrushes(cells[row]!, brushes)).toBe(true);
          if (place < span.from - 1e-3 || place > span.to + 1e-3) expect(passesBrushes(cells[row]!, brushes)).toBe(false);
        });
      }),
    );
  });

  it("over a whole axis select each cell with a place", () => {
    const cells = [0.1, 3, 7.777, "a", null, 1e-3];
    for (const kind of ["linear", "log", "category"] as const) {
      const scale = scaleOf(cells, kind);
      const passing = cells.filter((cell) => passesBrushes(cell, brushesOf([{ from: 0, to: 1 }], scale, [])));
      expect(passing).toEqual(cells.filter((_, row) => !Number.isNaN(scale.shares[row])));
    }
  });

  it("select whole bands of categories and keep selected gaps", () => {
    const scale = scaleOf(["a", "b", "c", "d"], "category");
    const span = spanBetween(0.3, 0.55, scale);
    expect(span).toEqual({ from: 0.25, to: 0.75 });
    expect(brushesOf([span], scale, [{ gaps: ["missing"] }, { values: ["a"] }])).toEqual([{ values: ["b", "c"] }, { gaps: ["missing"] }]);
    expect(spansOf([{ values: ["b", "c"] }], scale)).toEqual([{ from: 0.25, to: 0.75 }]);
    expect(spansOf([{ values: ["a", "c", "gone"] }], scale)).toHaveLength(2);
  });

  it("keep their meaning on another scale", () => {
    const cells = [16, 32, 64];
    expect(spansOf([{ low: 20, high: 70 }], scaleOf(cells, "category"))).toEqual([{ from: expect.closeTo(1 / 3), to: 1 }]);
    expect(spansOf([{ values: ["32", "64"] }], scaleOf(cells, "linear"))).toEqual([
      { from: 1 / 3, to: 1 / 3 },
      { from: 1, to: 1 },
    ]);
    expect(spansOf([{ low: 0, high: 32 }], scaleOf(cells, "log"))).toEqual([{ from: 0, to: expect.closeTo(0.5) }]);
  });

  it("move as a whole within the axis, and by their ends, which may pass each other", () => {
    const scale = scaleOf([0, 1], "linear");
    const span = { from: 0.25, to: 0.5 };
    expect(movedSpan(span, "body", 0.75, scale)).toEqual({ from: 0.75, to: 1 });
    expect(movedSpan(span, "body", -0.75, scale)).toEqual({ from: 0, to: 0.25 });
    expect(movedSpan(span, "to", 0.25, scale)).toEqual({ from: 0.25, to: 0.75 });
    expect(movedSpan(span, "from", 0.5, scale)).toEqual({ from: 0.5, to: 0.75 });
  });

  it("move over categories band by band", () => {
    const scale = scaleOf(["a", "b", "c", "d"], "category");
    expect(movedSpan({ from: 0, to: 0.25 }, "body", 0.3, scale)).toEqual({ from: 0.25, to: 0.5 });
    expect(movedSpan({ from: 0, to: 0.25 }, "to", 0.25, scale)).toEqual({ from: 0, to: 0.5 });
  });

  it("become one where they overlap", () => {
    expect(
      merged([
        { from: 0.5, to: 0.7 },
        { from: 0, to: 0.2 },
        { from: 0.1, to: 0.3 },
      ]),
    ).toEqual([
      { from: 0, to: 0.3 },
      { from: 0.5, to: 0.7 },
    ]);
  });

  it("are gripped at their ends or inside", () => {
    const spans = [
      { from: 0.1, to: 0.2 },
      { from: 0.5, to: 0.9 },
    ];
    expect(gripAt(spans, 0.51, 0.02)).toEqual({ index: 1, grip: "from" });
    expect(gripAt(spans, 0.7, 0.02)).toEqual({ index: 1, grip: "body" });
    expect(gripAt(spans, 0.91, 0.02)).toEqual({ index: 1, grip: "to" });
    expect(gripAt(spans, 0.4, 0.02)).toBeNull();
    expect(gripAt([{ from: 0.5, to: 0.5 }], 0.505, 0.02)).toEqual({ index: 0, grip: "to" });
  });
});
