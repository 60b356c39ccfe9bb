// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { metricTitle } from "./lineageWords";

describe("the title of a metric", () => {
  it("is the tag of a scalar whose last values a column has, and the name of any other column", () => {
    expect(metricTitle({ id: "scalar/loss/auto:last", name: "loss/auto:last" })).toBe("loss/auto");
    expect(metricTitle({ id: "scalar/loss/auto:min", name: "loss/auto:min" })).toBe("loss/auto:min");
    expect(metricTitle({ id: "metric/Accuracy", name: "Accuracy" })).toBe("Accuracy");
  });
});
