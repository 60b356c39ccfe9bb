// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { durationTicks, linearTicks, logTicks, niceStep, stepTicks, wallTicks } from "./ticks";

const range = fc
  .tuple(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: 1e-6, max: 1e9, noNaN: true }))
  .map(([low, width]) => [low, low + width] as const)
  .filter(([low, high]) => high - low > Math.abs(low) * 1e-9);

describe("linear ticks", () => {
  it("are on 1, 2, 2.5 and 5", () => {
    expect(linearTicks([0, 9.5], 6)).toEqual([0, 2, 4, 6, 8]);
    expect(linearTicks([0.011, 0.049], 5)).toEqual([0.02, 0.03, 0.04]);
    expect(linearTicks([-1, 1], 4)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(linearTicks([-0.3, 1.05], 6)).toEqual([-0.25, 0, 0.25, 0.5, 0.75, 1]);
  });

  it("stay inside the range, ascend, and take at least half of the room", () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 2, max: 12 }), ([low, high], count) => {
        const ticks = linearTicks([low, high], count);
        const slack = (high - low) * 1e-6;
        for (const tick of ticks) expect(tick >= low - slack && tick <= high + slack).toBe(true);
        for (let index = 1; index < ticks.length; index++) expect(ticks[index]!).toBeGreaterThan(ticks[index - 1]!);
        expect(ticks.length).toBeLessThanOrEqual(count + 1);
        expect(ticks.length).toBeGreaterThanOrEqual(Math.floor(count / 2));
      }),
    );
  });

  it("are none for a range without width", () => {
    expect(linearTicks([1, 1], 5)).toEqual([]);
    expect(linearTicks([0, Infinity], 5)).toEqual([]);
  });
});

describe("niceStep", () => {
  it("is 1, 2 or 5 times a power of ten", () => {
    expect(niceStep(10, 5)).toBe(2);
    expect(niceStep(7, 2)).toBe(5);
    expect(niceStep(0.6, 6)).toBeCloseTo(0.1);
  });
});

describe("step ticks", () => {
  it("are whole numbers however narrow the range", () => {
    expect(stepTicks([2.2, 4.4], 10)).toEqual([3, 4]);
  });
});

describe("logarithmic ticks", () => {
  it("are on powers of ten, thinned when there are many", () => {
    expect(logTicks([1e-4, 1e4], 3)).toEqual([1e-3, 1, 1e3]);
    expect(logTicks([0.5, 2000], 4)).toEqual([1, 10, 100, 1000]);
  });

  it("are filled up where there is room, and linear inside one decade part", () => {
    expect(logTicks([0.9, 11], 6)).toEqual([1, 2, 5, 10]);
    expect(logTicks([3, 4], 5)).toEqual([3, 3.2, 3.4, 3.6, 3.8, 4]);
  });

  it("are none where there is no logarithm", () => {
    expect(logTicks([0, 10], 5)).toEqual([]);
    expect(logTicks([-1, 10], 5)).toEqual([]);
  });
});

describe("time ticks", () => {
  it("are on units of the clock", () => {
    expect(durationTicks([0, 3700], 4)).toEqual([0, 1800, 3600]);
    expect(durationTicks([0, 200], 5)).toEqual([0, 60, 120, 180]);
    expect(durationTicks([0, 0.5], 5)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
  });

  it("are aligned to local midnight", () => {
    const offset = 5.5 * 3600;
    expect(wallTicks([0, 86400], 2, offset).map((tick) => (tick + offset) % 43200)).toEqual([0, 0]);
  });
});
