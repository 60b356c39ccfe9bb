// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { ordinal } from "./ordinal";

it("ends as English says it", () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1003].map(ordinal).join(" ")).toBe(
    "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th 1003rd",
  );
});
