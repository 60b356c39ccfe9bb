// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { drawableValues, traceCurve } from "./curvePath";
import { nonFiniteMarks, thinMarks } from "./nonFinite";
import { completed, finiteSegments, isAscending, shareColumns, type Series, withoutEnds } from "./series";

const values = fc.array(fc.oneof(fc.float(), fc.constantFrom(NaN, Infinity, -Infinity)), { maxLength: 40 });
const same = { x: (value: number) => value, y: (value: number) => value };

describe("finiteSegments", () => {
  it("breaks at NaN and infinities and keeps single points", () => {
    expect(finiteSegments([1, 2, NaN, 3, Infinity, 4, 5])).toEqual([
      { start: 0, end: 2 },
      { start: 3, end: 4 },
      { start: 5, end: 7 },
    ]);
    expect(finiteSegments([])).toEqual([]);
    expect(finiteSegments([NaN])).toEqual([]);
  });

  it("holds every finite row once; the marks hold all others", () => {
    fc.assert(
      fc.property(values, (rows) => {
        const drawn = finiteSegments(rows).flatMap(({ start, end }) => rows.slice(start, end));
        expect(drawn).toEqual(rows.filter(Number.isFinite));
        expect(nonFiniteMarks(rows, rows, false)).toHaveLength(rows.length - drawn.length);
      }),
    );
  });
});

describe("what can't be drawn", () => {
  it("is marked by kind", () => {
    const kinds = nonFiniteMarks([0, 1, 2, 3, 4, 5], [1, NaN, Infinity, -Infinity, 0, -2], true).map(({ kind }) => kind);
    expect(kinds).toEqual(["nan", "positive_infinity", "negative_infinity", "not_positive", "not_positive"]);
  });

  it("is not marked on a linear axis when it is zero", () => {
    expect(nonFiniteMarks([0, 1], [0, -1], false)).toEqual([]);
  });

  it("costs one mark a pixel", () => {
    const marks = nonFiniteMarks([0, 0.1, 5], [NaN, NaN, NaN], false);
    expect(thinMarks(marks, (x) => x)).toEqual([
      { pixel: 0, kind: "nan" },
      { pixel: 5, kind: "nan" },
    ]);
  });
});

describe("traceCurve", () => {
  it("draws lines, gaps and dots", () => {
    const calls: string[] = [];
    const path = { moveTo: (x: number, y: number) => calls.push(`M${x} ${y}`), lineTo: (x: number, y: number) => calls.push(`L${x} ${y}`) };
    expect(traceCurve(path, [0, 1, 2, 3], [5, 6, NaN, 7], same)).toEqual([{ x: 3, y: 7 }]);
    expect(calls).toEqual(["M0 5", "L1 6"]);
  });

  it("leaves gaps where a logarithmic axis has no place", () => {
    expect([...drawableValues(new Float32Array([1, 0, -1, 2]), true)]).toEqual([1, NaN, NaN, 2]);
    expect([...drawableValues(new Float32Array([1, 0]), false)]).toEqual([1, 0]);
  });
});

describe("an answer that leaves out known rows", () => {
  function answer(rows: readonly number[], kept: number, isSmoothed: boolean): Series {
    const rest = rows.slice(kept);
    const value = Float32Array.from(rest);
    const facts = { run: "a", tag: "loss", points: rows.length, returned: rows.length, reduced: false, error: null };
    const missing = { nan: 0, positive_infinity: 0, negative_infinity: 0, overwritten: 0, repeated: 0 };
    const columns = { step: Float64Array.from(rest), wall_time: Float64Array.from(rest), value, quantiles: Float32Array.from(rows) };
    const smoothed = isSmoothed ? value.map((each) => each / 2) : null;
    const mean = isSmoothed ? null : Float64Array.from(value, (each) => each / 3);
    return {
      ...facts,
      ...missing,
      ...columns,
      smoothed,
      mean,
      start_wall_time: 0,
      first_step: 0,
      last_step: 0,
      x: null,
      version: rows.length,
      cursor: "c",
      kept,
    };
  }

  it("is completed to what a first answer holds", () => {
    fc.assert(
      fc.property(fc.array(fc.float()), fc.nat(), fc.boolean(), (rows, some, isSmoothed) => {
        const kept = some % (rows.length + 1);
        const known = answer(rows.slice(0, kept), 0, isSmoothed);
        expect(completed(answer(rows, kept, isSmoothed), known)).toEqual(answer(rows, 0, isSmoothed));
      }),
    );
  });

  it("stays as it is when nothing is known", () => {
    const whole = answer([1, 2, 3], 0, true);
    expect(completed(whole, undefined)).toBe(whole);
    expect(completed(whole, answer([7, 8], 0, true))).toBe(whole);
  });

  it("has the equal columns of an earlier one, and no others", () => {
    const earlier = answer([0, NaN, 3], 0, true);
    const smoother = answer([0, NaN, 3], 0, true);
    smoother.smoothed!.fill(2);
    shareColumns(smoother, earlier);
    expect(smoother.value).toBe(earlier.value);
    expect(smoother.step).toBe(earlier.step);
    expect([...smoother.smoothed!]).toEqual([2, 2, 2]);
    for (const rows of [
      [0, NaN, 4],
      [-0, NaN, 3],
      [0, NaN],
    ]) {
      const other = answer(rows, 0, true);
      shareColumns(other, earlier);
      expect([...other.value]).toEqual(rows);
    }
  });
});

describe("a difference", () => {
  it("has no rows where the other run has none, and keeps NaN between", () => {
    const nan = NaN;
    const values = Float32Array.of(nan, nan, 1, nan, 2, nan);
    const places = Float64Array.of(0, 1, 2, 3, 4, 5);
    const facts = {
      run: "a",
      tag: "loss",
      points: 6,
      returned: 6,
      reduced: false,
      error: null,
      nan: 4,
      positive_infinity: 0,
      negative_infinity: 0,
      overwritten: 0,
      repeated: 0,
    };
    const rest = {
      start_wall_time: 0,
      first_step: 0,
      last_step: 0,
      version: 0,
      cursor: "c",
      kept: 0,
      smoothed: null,
      mean: null,
      quantiles: values,
    };
    const got = withoutEnds({ ...facts, ...rest, x: places, step: places, wall_time: places, value: values });
    expect([...got.x!]).toEqual([2, 3, 4]);
    expect([got.nan, got.points]).toEqual([1, 3]);
  });
});

describe("isAscending", () => {
  it("allows equal positions and no step back", () => {
    expect(isAscending([1, 1, 2])).toBe(true);
    expect(isAscending([1, 0])).toBe(false);
    expect(isAscending([])).toBe(true);
  });
});
