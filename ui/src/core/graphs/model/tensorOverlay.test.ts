// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GraphBuilder } from "./generatedGraph";
import { ODD } from "./overlay";
import { buildScopeTree } from "./scopeTree";
import { isShareOverlay, overlayText, rangeOfFigures, valuesOfItems } from "./tensorOverlay";

const graph = new GraphBuilder();
const scope = graph.scope("block");
graph.node(scope);
graph.node(scope);
const tree = buildScopeTree(graph.build());
const figures = {
  item: Int32Array.of(1, 3, 99), // the last one of a graph that has changed since
  value: Float64Array.of(4, NaN, 1, 0, 8, 1),
  bits: Uint8Array.of(ODD.nan, 0, 0, 0, ODD.infinite, 0),
};

describe("figures of tensors on a graph", () => {
  it("are those of a step; other items have none", () => {
    expect([...valuesOfItems(tree, figures, 0).value]).toEqual([NaN, 4, NaN, NaN]);
    expect([...valuesOfItems(tree, figures, 1).value]).toEqual([NaN, 0, NaN, 8]);
    expect([...valuesOfItems(tree, figures, 1).odd]).toEqual([0, 0, 0, ODD.infinite]);
  });

  it("have a range above 0 over all steps", () => {
    expect(rangeOfFigures(figures)).toEqual([1, 8]);
    expect(rangeOfFigures({ ...figures, value: Float64Array.of(0, NaN) })).toBeNull();
  });

  it("are in percent where they are shares", () => {
    expect([overlayText("outputs_zeros", 0.25), overlayText("outputs_max", 0.25), overlayText("gradient_norm", 2)]).toEqual([
      "25 %",
      "0.2500",
      "2",
    ]);
    expect([isShareOverlay("outputs_non_finite"), isShareOverlay("updates"), isShareOverlay("parameter_norm")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
