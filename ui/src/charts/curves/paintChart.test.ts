// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { NO_LIMITS, LINE, wholeRanges, type Curve, type Scaling } from "../../core/series/curve";
import { plotFrame } from "../frame/plotFrame";
import { SvgContext } from "../frame/svgContext";
import { complete, paintChart, type ChartContent } from "./paintChart";

const LINEAR: Scaling = { isLog: false, isLogX: false, ignoresOutliers: false, limits: NO_LIMITS };

function curve(key: string, values: readonly number[], more: Partial<Curve> = {}): Curve {
  const x = Float64Array.from(values, (_, row) => row);
  const raw = Float32Array.from(values);
  return { ...LINE, key, label: key, color: `var(--${key})`, x, raw, smoothed: null, isAscending: true, ...more };
}

function paths(content: ChartContent, scaling = LINEAR, beside = 0): string[] {
  const measure = (text: string): number => 6 * text.length;
  const frame = plotFrame(
    { width: 400, height: 200 },
    wholeRanges(content.curves, scaling),
    { axis: "step", isLog: scaling.isLogX },
    [{ title: "", color: null, isLog: scaling.isLog }],
    measure,
    beside,
  );
  const surface = new SvgContext(measure);
  complete(paintChart({ surface, ratio: 1, frame, ...scaling, marksFar: false, ink: (color) => color }, content));
  return surface.body().match(/<(path|svg)[^>]*>|<\/svg>|>[^<]+(?=<\/text>)/g) ?? [];
}

const ofColor = (all: readonly string[], key: string): string[] => all.filter((path) => path.includes(`var(--${key})`));

describe("paintChart on an SVG", () => {
  it("draws curves inside of the clipped area, over the grid", () => {
    const all = paths({ curves: [curve("a", [1, 2, 3])] });
    const [open, close] = [all.findIndex((part) => part.startsWith("<svg")), all.indexOf("</svg>")];
    expect(all[open]).toContain('x="45" y="5" width="342" height="176"');
    expect(all.slice(open + 1, close)).toEqual([expect.stringMatching(/^<path d="M48 [\d.]+L216 [\d.]+L384 [\d.]+" .*"var\(--a\)"/)]);
    expect(all.slice(0, open).join("")).toContain("var(--grid-line)");
  });

  it("draws smoothed curves over faint raw ones, dashed where they are", () => {
    const smoothed = Float32Array.of(1, 2, 2);
    const all = ofColor(paths({ curves: [curve("a", [1, 3, 2], { smoothed, dash: [6, 4] })] }), "a");
    expect(all).toHaveLength(2);
    expect(all[0]).toContain('stroke-opacity="0.34" stroke-dasharray="6 4"');
    expect(all[1]).not.toContain("opacity");
  });

  it("leaves gaps and marks where a value has no place", () => {
    const [line, dot, mark] = ofColor(paths({ curves: [curve("a", [1, 2, NaN, 5, Infinity, 1, 2])] }), "a");
    expect(line!.match(/M/g)).toHaveLength(2);
    expect(dot).toMatch(/d="M[\d.]+ [\d.]+h0" .*stroke-width="5" stroke-linecap="round"/);
    expect(mark).toMatch(/Z" fill="var\(--a\)"/);
  });

  it("draws one of many as a pale line, and no mark for it", () => {
    const all = paths({ curves: [curve("a", [1, 2, NaN, 3, 4], { isBehind: true }), curve("b", [1, 2])] });
    expect(ofColor(all, "a")).toEqual([]);
    expect(all.filter((path) => path.includes('stroke-opacity="0.12"'))).toHaveLength(1);
  });

  it("draws bands, peers, guides and names at the ends", () => {
    const band = { low: Float32Array.of(0, 1), high: Float32Array.of(2, 3) };
    const content = { curves: [curve("a", [1, 2], { band })], guides: [{ value: 2, label: "< 2" }], peers: [curve("p", [2, 1])] };
    const all = paths(content, LINEAR, 60);
    expect(ofColor(all, "a")[0]).toContain('fill-opacity="0.16"');
    expect(ofColor(all, "p")).toEqual([expect.stringContaining('stroke-opacity="0.4"')]);
    expect(ofColor(all, "warn")[0]).toContain('stroke-dasharray="4 3"');
    expect(all.filter((part) => part === ">&lt; 2")).toHaveLength(2);
    expect(all).toContain(">a");
  });

  it("leaves out the name of a line that ends below another one", () => {
    const short = curve("short", [1, 1, 1]);
    const names = (long: number): string[] => {
      const all = paths({ curves: [short, curve("long", [long, long, long, long, long, long, 9])] }, LINEAR, 60);
      return [...new Set(all.filter((part) => part === ">short" || part === ">long"))];
    };
    expect(names(1)).toEqual([">long"]);
    expect(names(4)).toEqual([">short", ">long"]);
  });
});
