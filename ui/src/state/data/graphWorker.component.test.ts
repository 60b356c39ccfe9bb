// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { generatedModel } from "../../core/graphs/model/generatedGraph";
import { buildScopeTree } from "../../core/graphs/model/scopeTree";
import { PictureReceiver } from "../../core/graphs/view/frameMessages";
import { DEFAULT_GRAPH_OPTIONS } from "../../core/graphs/view/graphOptions";
import { startGraphWorker } from "./graphCalls";

it("lays out a graph in a worker of the browser", async () => {
  const structure = generatedModel(1000);
  const { caller, stop } = startGraphWorker(structure);
  await caller.call("setOptions", DEFAULT_GRAPH_OPTIONS);
  const message = await caller.call("picture", { open: new Set([1]), unfolded: new Set() }, false);
  const picture = new PictureReceiver(buildScopeTree(structure)).receive(message);
  expect([...picture.frames.keys()]).toEqual([1, 0]);
  expect(picture.root.layout.width).toBeGreaterThan(100);
  stop();
});
