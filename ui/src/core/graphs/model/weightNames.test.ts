// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GraphBuilder } from "./generatedGraph";
import { ROLE } from "./structure";
import { mayNameWeight, WeightNames } from "./weightNames";

const graph = new GraphBuilder();
const weights = ["net.conv1.weight", "conv2.weight", "a.fc.bias", "b.fc.bias", "norm1.weight", "grad_head.weight"];
for (const label of weights) graph.node(0, { label, role: ROLE.parameter });
graph.node(0, { label: "conv3.weight", role: ROLE.operation });
const names = new WeightNames(graph.build());

describe("weights that tags name", () => {
  it.each([
    ["net.conv1.weight/auto", 0, "parameter", false],
    ["conv1.weight", 0, "parameter", false],
    ["gradient/model.net.conv1.weight", 0, "gradient", false],
    ["conv2.weight.grad", 1, "gradient", false],
    ["conv2.weight_grad/hist", 1, "gradient", false],
    ["grad_norm/conv2.weight", 1, "gradient", true],
    ["grad_2.0_norm/conv2.weight", 1, "gradient", true],
    ["grad_inf_norm/conv2.weight", 1, "gradient", false],
    ["momentum/conv2.weight", 1, null, false],
    ["param_norm/conv2.weight", 1, "parameter", true],
    ["norm1.weight/auto", 4, "parameter", false],
    ["grad_head.weight/auto", 5, "parameter", false],
    ["a.fc.bias", 2, "parameter", false],
  ] as const)("%s", (tag, node, quantity, isNorm) => expect(names.of(tag)).toEqual({ nodes: [node], quantity, isNorm }));

  it.each(["loss", "weight", "fc.bias", "conv3.weight", "xconv2.weight"])("%s names none", (tag) => expect(names.of(tag)).toBeNull());

  it.each([
    ["conv1.weight/auto", true],
    ["gradient/layers.0.norm.bias", true],
    ["loss/auto", false],
    ["eval/top.5", false],
    ["lr 0.1", false],
  ])("%s may name one: %s", (tag, want) => expect(mayNameWeight(tag)).toBe(want));

  it("names a weight that several graphs of a picture have", () => {
    const two = new GraphBuilder();
    for (let times = 0; times < 2; times++) two.node(0, { label: "fc.weight", role: ROLE.parameter });
    expect(new WeightNames(two.build()).of("fc.weight/auto")?.nodes).toEqual([0, 1]);
  });

  it("names the weights of a graph that PyTorch wrote for TensorBoard", () => {
    const torch = new GraphBuilder();
    const layers = torch.scope("Sequential[layers]", torch.scope("Net"));
    const weight = torch.scope("weight", torch.scope("Linear[0]", layers));
    const type = "prim::GetAttr";
    const module = torch.node(weight, { label: "_0", type });
    const read = torch.node(weight, { label: "weight.3", type });
    const sum = torch.node(weight, { label: "weight", type: "aten::add" });
    torch.node(0, { label: "weight", type });
    const found = new WeightNames(torch.build());
    expect(found.of("layers.0.weight/grad")).toEqual({ nodes: [read], quantity: "gradient", isNorm: false });
    expect(found.of("net.layers.0.weight")?.nodes).toEqual([read]);
    expect([module, sum].some((node) => found.of("layers.0.weight")?.nodes.includes(node))).toBe(false);
    expect(found.of("layers.1.weight")).toBeNull();
  });
});
