// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, it } from "vitest";

import { generatedModel } from "../../core/graphs/model/generatedGraph";
import { buildScopeTree } from "../../core/graphs/model/scopeTree";
import { PictureReceiver } from "../../core/graphs/view/frameMessages";
import { DEFAULT_GRAPH_OPTIONS } from "../../core/graphs/view/graphOptions";
import { GraphPictures, type GraphPicture } from "../../core/graphs/view/graphPicture";
import { answerGraphCalls, GraphCaller } from "./graphCalls";

const structure = generatedModel(1000);
const tree = buildScopeTree(structure);
let channel: MessageChannel;

/** A session on the other end of a channel, which copies messages as a worker does. */
function caller(): GraphCaller {
  channel = new MessageChannel();
  answerGraphCalls(channel.port2);
  channel.port1.start();
  channel.port2.start();
  return new GraphCaller(channel.port1, structure);
}

afterEach(() => {
  channel.port1.close();
  channel.port2.close();
});

const state = (...open: number[]) => ({ open: new Set(open), unfolded: new Set<number>() });
const plain = ({ frames }: GraphPicture) =>
  [...frames.values()]
    .map(({ scope, items, layout, inner }) => ({ scope, items, layout, inner: [...inner.keys()] }))
    .sort((a, b) => a.scope - b.scope);

describe("a graph in a worker", () => {
  it("gives the pictures that the page would make, from changes only", async () => {
    const calls = caller();
    const here = new GraphPictures(tree, DEFAULT_GRAPH_OPTIONS);
    const receiver = new PictureReceiver(tree);
    const { isDrawn } = await calls.call("setOptions", DEFAULT_GRAPH_OPTIONS);
    expect(isDrawn).toEqual(here.scopeFlows.flows.isDrawn);
    for (const open of [[], [1], [1, 2], [1, 2, 3], [1], [1, 3, 2]]) {
      const message = await calls.call("picture", state(...open), false);
      expect(plain(receiver.receive(message))).toEqual(plain(here.picture(state(...open))));
    }
    const again = await calls.call("picture", state(1, 2, 3), false);
    expect([again.changed, again.removed]).toEqual([[], []]);
  });

  it("sends the boxes of a frame once", async () => {
    const calls = caller();
    await calls.call("setOptions", DEFAULT_GRAPH_OPTIONS);
    await calls.call("picture", state(1), false);
    const { changed } = await calls.call("picture", state(1, 2), false);
    expect(changed.map(({ scope, items }) => [scope, items === null])).toEqual([
      [2, false],
      [1, true],
      [0, true],
    ]);
  });

  it("searches, reveals, and marks what is between two nodes", async () => {
    const calls = caller();
    await calls.call("setOptions", DEFAULT_GRAPH_OPTIONS);
    const found = await calls.call("search", { text: "residual", isRegex: false, fields: 15 });
    expect(found.nodes.length).toBe(24);
    const revealed = (await calls.call("reveal", state(), found.nodes[5]!))!;
    const receiver = new PictureReceiver(tree);
    const picture = receiver.receive(await calls.call("picture", revealed.state, true));
    const frame = picture.frames.get(tree.parent[revealed.item]!)!;
    expect(frame.items.item).toContain(revealed.item);
    const marked = await calls.call("between", found.nodes[4]!, found.nodes[6]!);
    const { below, edges } = await calls.call("mark", marked);
    expect(below[revealed.item]).toBe(1);
    expect(below[0]).toBe(marked.reduce((sum, mark) => sum + mark, 0));
    expect(edges.get(frame.scope)!.includes(1)).toBe(true);
    expect((await calls.call("criticalPath", "flops")).total).toBeGreaterThan(0);
    expect((await calls.call("reachable", found.nodes[0]!, "to"))[0]).toBe(1);
  });

  it("reports what went wrong", async () => {
    await expect(caller().call("picture", state(), false)).rejects.toThrow("null");
  });
});
