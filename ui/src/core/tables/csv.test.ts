// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csvCell, csvTable, csvToColumns, prefixColumns } from "./csv";

describe("a table as CSV", () => {
  it("holds no formulas, and quotes only what it must", () => {
    const rows = [
      ["=evil", 0.5, null],
      ['a,"b"', -1, "x"],
      ["＋1", 0, "\n=1+1"],
    ];
    expect(csvTable(["run", "lr", "note"], rows)).toBe('run,lr,note\n\'=evil,0.5,\n"a,""b""",-1,x\n\'＋1,0,"\'\n=1+1"\n');
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
