// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { layerBoxes } from "./graphLayout";

describe("boxes of a small graph", () => {
  it("are below their inputs", () => {
    const places = layerBoxes(4, [
      { source: 0, target: 1 },
      { source: 0, target: 2 },
      { source: 1, target: 3 },
      { source: 2, target: 3 },
    ]);
    expect(places.map(({ row }) => row)).toEqual([0, 1, 1, 2]);
    expect(places[2]).toEqual({ row: 1, column: 1, columns: 2 });
  });

  it("are placed also when values go in a circle", () => {
    const places = layerBoxes(2, [
      { source: 0, target: 1 },
      { source: 1, target: 0 },
    ]);
    expect(places.map(({ row }) => row)).toEqual([0, 1]);
  });
});
