// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csvTable } from "./csv";

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
