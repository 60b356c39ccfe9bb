// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { columnSpan, formatPlace, waveform } from "./waveform";

describe("a waveform", () => {
  it("keeps every spike", () => {
    const samples = new Float32Array(1000);
    samples[777] = 0.9;
    samples[778] = -0.8;
    const { low, high } = waveform(samples, 10);
    expect(high[7]).toBeCloseTo(0.9);
    expect(low[7]).toBeCloseTo(-0.8);
    expect(high.filter((value) => value !== 0)).toHaveLength(1);
  });

  it("has no more columns than samples, and one at least", () => {
    expect(waveform(new Float32Array([0.5, -0.5]), 100).high).toHaveLength(2);
    expect(waveform(new Float32Array(0), 100).low).toEqual(new Float32Array([0]));
  });

  it("draws samples below zero below the middle line, and silence as a thin line", () => {
    expect(columnSpan(-0.5, -0.25, 100, 1)).toEqual({ top: 49.5, bottom: 75 });
    expect(columnSpan(0.25, 0.5, 100, 1)).toEqual({ top: 25, bottom: 50.5 });
    expect(columnSpan(0, 0, 100, 1)).toEqual({ top: 49.5, bottom: 50.5 });
  });

  it("says its place in minutes and seconds", () => {
    expect([0, 83.44, 600].map(formatPlace)).toEqual(["0:00.0", "1:23.4", "10:00.0"]);
  });
});
