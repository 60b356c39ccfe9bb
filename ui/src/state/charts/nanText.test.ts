// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Series } from "../../core/series/series";
import { nanText, nanTitle } from "./nanText";

function series(run: string, values: number[], begin = 0): Series {
  const step = Float64Array.from(values, (_, row) => begin + row);
  const value = Float32Array.from(values);
  return { run, step, value, nan: values.filter(Number.isNaN).length } as Series;
}

describe("where lines are NaN", () => {
  it("names the steps of one line", () => {
    expect(nanText([series("a", [1, 2, NaN, NaN], 699)])).toBe("NaN from step 701");
    expect(nanText([series("a", [NaN, NaN])])).toBe("NaN from step 0");
    expect(nanText([series("a", [1, NaN, 3]), series("b", [1, 2, 3])])).toBe("NaN at step 1");
    expect(nanText([series("a", [1, NaN, NaN, 3], 1200)])).toBe(`NaN at steps 1\u2009201–1\u2009202`);
  });

  it("names the first step of several lines that never recover", () => {
    expect(nanText([series("a", [1, 2, NaN]), series("b", [1, NaN, NaN])])).toBe("NaN from step 1");
    expect(nanText([series("a", [1, 2, NaN]), series("b", [1, NaN, 3])])).toBe("2 NaN");
  });

  it("counts where numbers lie between", () => {
    expect(nanText([series("a", [NaN, 1, NaN])])).toBe("2 NaN");
    expect(nanText([series("a", [NaN, Infinity, NaN])])).toBe("2 NaN");
  });

  it("lists the lines in the title", () => {
    const all = [series("a", [1, NaN]), series("b", [1, 2]), series("c", [NaN, 1, NaN])];
    expect(nanTitle(all).split("\n").slice(1)).toEqual(["a: NaN from step 1", "c: 2 NaN"]);
    const many = Array.from({ length: 20 }, (_, run) => series(`run_${run}`, [NaN]));
    expect(nanTitle(many).split("\n").at(-1)).toBe("+8");
  });
});
