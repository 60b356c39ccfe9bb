// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { sampleCsv, sampleJson } from "./audioTable";

it("says when each sample is heard", () => {
  expect(
    sampleCsv(Float32Array.of(0, 0.5, -1, 0.25), 2)
      .trim()
      .split(/\r?\n/),
  ).toEqual(["time_s,value", "0,0", "0.5,0.5", "1,-1", "1.5,0.25"]);
});

it("holds the samples in as many digits as they have", () => {
  expect(JSON.parse(sampleJson(Float32Array.of(0, 0.1, -1), 1.5))).toEqual({ duration_s: 1.5, samples: [0, 0.1, -1] });
});
