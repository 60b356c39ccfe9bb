// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, it, vi } from "vitest";

import { groupColors } from "./groupColors.svelte";
import { annotations } from "../annotations/annotations.svelte";

const KEPT = { slots: { adam: 0, sgd: 1, lion: 2 }, chosen: { adam: "var(--series-7)", sgd: "#ABCDEF", lion: "#000000" } };

describe("colors of groups that a browser kept", () => {
  const stored = new Map<string, string>();

  /** A page over a server that knows a color of one of the groups, and takes changes or not. */
  async function openPage(status: number): Promise<unknown[]> {
    const sent: unknown[] = [];
    const answer = (groups: object): object => ({
      revision: 1,
      runs: {},
      groups,
      thresholds: {},
      pins: {},
      views: {},
      mutes: {},
      targets: {},
      reports: {},
    });
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, text: string) => stored.set(key, text),
    });
    vi.stubGlobal("fetch", (_: string, { body }: { body?: string } = {}) => {
      if (body === undefined)
        return Promise.resolve(Response.json({ ...answer({ lion: { color: "5", version: 3 } }), is_writable: true, problem: null }));
      const { changes } = JSON.parse(body) as { changes: { group: string; color: string; version: number }[] };
      sent.push(...changes);
      const written = Object.fromEntries(changes.map(({ group, color }) => [group, { color, version: 4 }]));
      return Promise.resolve(Response.json(answer(written), { status }));
    });
    await annotations.load();
    return sent;
  }

  afterEach(() => {
    vi.unstubAllGlobals();
    stored.clear();
  });

  it("are given to the server, except those chosen there, and forgotten", async () => {
    stored.set("mindscope.group_colors", JSON.stringify(KEPT));
    const sent = await openPage(200);
    await Promise.all([groupColors.handOver(), groupColors.handOver()]);
    expect(sent).toEqual([
      { group: "adam", color: "7", version: 0 },
      { group: "sgd", color: "#abcdef", version: 0 },
    ]);
    expect(["adam", "sgd", "lion"].map((group) => groupColors.of(group))).toEqual(["var(--series-7)", "#abcdef", "var(--series-5)"]);
    expect(JSON.parse(stored.get("mindscope.group_colors")!)).toEqual({ slots: KEPT.slots });
  });

  it("stay where the server takes none", async () => {
    stored.set("mindscope.group_colors", JSON.stringify(KEPT));
    const sent = await openPage(503);
    await groupColors.handOver();
    expect(sent).toHaveLength(2);
    expect(JSON.parse(stored.get("mindscope.group_colors")!)).toEqual(KEPT);
  });
});
