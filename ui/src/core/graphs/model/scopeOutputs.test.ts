// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { buildAdjacency } from "./adjacency";
import { GraphBuilder } from "./generatedGraph";
import { scopeOutputs } from "./scopeOutputs";
import { buildScopeTree } from "./scopeTree";
import { PART } from "./structure";

describe("the output of a scope", () => {
  const graph = new GraphBuilder();
  const net = graph.scope("LeNet");
  const [conv, fc] = [graph.scope("conv-Conv2d", net), graph.scope("fc-Linear", net)];
  const loss = graph.scope("loss");
  const convolution = graph.node(conv, { label: "conv" });
  const indices = graph.node(conv, { label: "indices" });
  const flat = graph.node(net, { label: "flatten" });
  const product = graph.node(fc, { label: "product" });
  const output = graph.node(fc, { label: "bias" });
  const entropy = graph.node(loss, { label: "entropy" });
  const gradient = graph.node(loss, { label: "gradient", parts: PART.gradient });
  for (const [from, to] of [
    [convolution, indices],
    [convolution, flat],
    [flat, product],
    [product, output],
    [output, entropy],
    [output, gradient],
  ] as const)
    graph.edge(from, to);
  const structure = graph.build();
  const tree = buildScopeTree(structure);
  const outputs = scopeOutputs(tree, buildAdjacency(structure));
  const nameOf = (scope: number): string => structure.texts[structure.label[outputs[scope]!]!]!;

  it("is that of the last node below it, not of the last one directly in it", () => {
    expect([net, fc].map(nameOf)).toEqual(["bias", "bias"]);
  });

  it("is what others read, before what has no reader", () => {
    expect(nameOf(conv)).toBe("conv");
    expect([loss, 0].map(nameOf)).toEqual(["entropy", "entropy"]);
  });

  it("is not that of operations that record a summary", () => {
    const recording = new GraphBuilder();
    const module = recording.scope("net");
    const logits = recording.node(module, { label: "logits" });
    recording.edge(logits, recording.node(module, { label: "recorded", type: "ScalarSummary" }));
    recording.node(0, { label: "last", type: "TensorSummary" });
    const built = recording.build();
    expect([...scopeOutputs(buildScopeTree(built), buildAdjacency(built))]).toEqual([logits, logits]);
  });

  it("is missing of a scope without operations of the forward part", () => {
    const empty = new GraphBuilder();
    empty.node(empty.scope("gradients"), { parts: PART.gradient });
    const built = empty.build();
    expect([...scopeOutputs(buildScopeTree(built), buildAdjacency(built))]).toEqual([-1, -1]);
  });
});
