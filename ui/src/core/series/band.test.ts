// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { BAND_OPACITY, bandOpacity, envelope, isNoisy, softEnvelope } from "./band";

const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(NaN))), {
  maxLength: 40,
});

describe("envelope", () => {
  it("is what looking at every row of every window finds", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 12 }), (steps, reach) => {
        let at = 0;
        const x = steps.map(([step]) => (at += step));
        const values = steps.map(([, value]) => value);
        const got = envelope(x, values, reach);
        x.forEach((place, row) => {
          const near = values.filter((value, other) => Math.abs(x[other]! - place) <= reach && !Number.isNaN(value));
          expect(got.low[row]).toBe(near.length > 0 ? Math.fround(Math.min(...near)) : NaN);
          expect(got.high[row]).toBe(near.length > 0 ? Math.fround(Math.max(...near)) : NaN);
        });
      }),
    );
  });
});

describe("the softened envelope", () => {
  it("holds every value", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 12 }), (steps, reach) => {
        let at = 0;
        const x = steps.map(([step]) => (at += step));
        const values = steps.map(([, value]) => value);
        const { low, high } = softEnvelope(x, values, reach);
        values.forEach((value, row) => {
          if (Number.isNaN(value)) return;
          expect(low[row]).toBeLessThanOrEqual(value + 1e-6);
          expect(high[row]).toBeGreaterThanOrEqual(value - 1e-6);
        });
      }),
    );
  });

  it("leads up to a spike and down again", () => {
    const { low, high } = softEnvelope([0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 6, 0, 0, 0], 1);
    expect([...high]).toEqual([0, 2, 4, 6, 4, 2, 0].map(Math.fround));
    expect([...low]).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});

describe("the opacity of bands", () => {
  it("stays as it is for a few, and lets half of the lower layer through any number", () => {
    expect(bandOpacity(1)).toBe(BAND_OPACITY);
    for (const count of [0, 1, 3, 10, 200]) expect((1 - bandOpacity(count)) ** count).toBeGreaterThanOrEqual(0.5 - 1e-9);
  });
});

describe("noise", () => {
  const rows = Array.from({ length: 500 }, (_, row) => row);
  const random = (row: number): number => Math.abs(Math.sin(row * 12.9898) * 43758.5453) % 1;

  it("fills an area by going up and down, also with a trend and a gap", () => {
    expect(isNoisy(rows.map(random))).toBe(true);
    expect(isNoisy(rows.map((row) => Math.exp(-row / 100) + 0.1 * random(row)))).toBe(true);
    expect(isNoisy(rows.map((row) => (row % 9 === 0 ? NaN : random(row))))).toBe(true);
  });

  it("is not what goes its way: a ramp, a restart, a wave, steps, a constant, a few spikes", () => {
    expect(isNoisy(rows)).toBe(false);
    expect(isNoisy(rows.map((row) => row % 50))).toBe(false);
    expect(isNoisy(rows.map((row) => Math.cos(row / 10)))).toBe(false);
    expect(isNoisy(rows.map((row) => 0.1 ** Math.floor(row / 100)))).toBe(false);
    expect(isNoisy(rows.map(() => 3))).toBe(false);
    expect(isNoisy(rows.map((row) => (row % 40 === 0 ? 1e6 : row)))).toBe(false);
    expect(isNoisy([])).toBe(false);
  });
});
