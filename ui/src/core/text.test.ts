// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { csvCell, csvTable, csvToColumns, prefixColumns } from "./csv";
import { groupByPrefix } from "./tagGroups";
import { matcherFor } from "./textFilter";
import { escapeXml, svgChart } from "./svgChart";

describe("filters", () => {
  it("find every word, in any case", () => {
    const { matches } = matcherFor({ text: "LOSS train", isRegex: false });
    expect(["train/loss", "loss/train", "val/loss"].map(matches)).toEqual([true, true, false]);
  });

  it("take regular expressions and say what is wrong with one", () => {
    expect(matcherFor({ text: "^val/(loss|acc)$", isRegex: true }).matches("val/acc")).toBe(true);
    const broken = matcherFor({ text: "(", isRegex: true });
    expect(broken.error).not.toBeNull();
    expect(broken.matches("anything")).toBe(true);
  });

  it("take every text literally when it is no expression", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(matcherFor({ text, isRegex: false }).matches(`a ${text} b`)).toBe(true);
      }),
    );
  });
});

describe("groups of tags", () => {
  const tags = (...names: string[]): { tag: string }[] => names.map((tag) => ({ tag }));
  const shape = (names: string[]): [string, string[]][] =>
    groupByPrefix(tags(...names)).map(({ prefix, items }) => [prefix, items.map(({ tag }) => tag)]);

  it("follow the prefix, with those that are alone together in front, and keep the order of tags", () => {
    expect(shape(["train/loss", "lr", "train/acc", "val/loss", "/odd", "layer10/w", "layer2/w", "layer2/b", "layer10/b"])).toEqual([
      ["", ["lr", "val/loss", "/odd"]],
      ["layer2", ["layer2/w", "layer2/b"]],
      ["layer10", ["layer10/w", "layer10/b"]],
      ["train", ["train/loss", "train/acc"]],
    ]);
  });

  it("lose no tag", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", "b", "/") })), (names) => {
        expect(shape(names).flatMap(([, items]) => items).sort()).toEqual([...names].sort());
      }),
    );
  });
});

describe("CSV", () => {
  it("quotes what must be quoted and disarms formulas", () => {
    expect(csvCell('say "hi", you')).toBe('"say ""hi"", you"');
    expect(csvCell("=1+1")).toBe("'=1+1");
    expect(csvCell(-1)).toBe("-1");
    expect(csvTable(["a", "b"], [[1, null]])).toBe("a,b\n1,\n");
  });

  it("puts the run before each row", () => {
    expect(prefixColumns("step,value\r\n1,2\r\n", { run: "a,b" }, true)).toBe('run,step,value\n"a,b",1,2\n');
    expect(prefixColumns("step,value\n1,2\n", { run: "a", tag: "loss" }, true)).toBe("run,tag,step,value\na,loss,1,2\n");
    expect(prefixColumns("step,value\n", { run: "a" }, false)).toBe("");
  });

  it("becomes columns, with text where JSON has no number", () => {
    expect(csvToColumns("step,value\n1,0.5\n2,nan\n")).toEqual({ step: [1, 2], value: [0.5, "nan"] });
  });
});

describe("drawings", () => {
  it("hold text from logs as text", () => {
    const svg = svgChart({
      title: `<script>"&`,
      width: 100,
      height: 50,
      plot: { left: 10, top: 0, right: 90, bottom: 40 },
      projections: [{ x: (value) => value, y: (value) => value }],
      xTicks: [{ at: 10, label: "1" }],
      yAxes: [{ title: "a & b", ticks: [], color: "#654321", isRight: true, edge: 90, width: 60 }],
      guides: [{ at: 20, label: "< 3" }],
      curves: [{ label: "<b>", color: "#123456", dash: [6, 4], scale: 0,
          isBehind: false, x: [1, 2], raw: [1, 2], smoothed: [1, NaN], band: null, marks: [{ path: "M1 2L3 4Z", isFilled: true }] }],
      ink: { text: "#000", grid: "#eee", paper: "#fff", guide: "#f00" },
    });
    expect(svg).toContain("&lt;script&gt;&quot;&amp;");
    expect(svg).not.toContain("<b>");
    expect(svg).toContain('stroke-opacity="0.34" stroke-dasharray="6 4"');
    expect(svg).toContain("&lt; 3");
    expect(svg).toContain('fill="#654321">a &amp; b<');
    expect(svg).toContain('<path d="M1 2L3 4Z" fill="#123456"');
    expect(escapeXml("a\u0000b")).toBe("ab");
  });
});
