// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { bucketCsv, statisticsCsv } from "./tensorTable";

const WHOLE = {
  shape: [2, 3],
  count: 6,
  minimum: "-2.0",
  maximum: "1.5",
  mean: -0.25,
  deviation: 1.75,
  zeros: 0,
  nan: 1,
  positive_infinity: 1,
  negative_infinity: 1,
};

describe("tables of a tensor", () => {
  it("has slice and whole side by side, numbers as numbers", () => {
    const rows = statisticsCsv({ ...WHOLE, shape: [3], minimum: null }, WHOLE)
      .trimEnd()
      .split("\n");
    expect(rows).toContain("shape,3,2 3");
    expect(rows).toContain("minimum,,-2");
    expect(rows).toContain("mean,-0.25,-0.25");
    expect(rows).toHaveLength(11);
  });

  it("leaves empty what is not known yet", () => {
    expect(statisticsCsv(null, WHOLE)).toContain("count,,6\n");
  });

  it("has a row for each bucket", () => {
    expect(bucketCsv([-1, 0, 1], [4, 2])).toBe("left,right,count\n-1,0,4\n0,1,2\n");
  });
});
