// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { annotations } from "./annotations.svelte";

const NOTES = { note: "kept", tags: [], color: null, archived: false, version: 1 };
const ANSWER = {
  revision: 1,
  runs: { a: NOTES },
  groups: {},
  thresholds: {},
  pins: {},
  views: {},
  mutes: {},
  targets: {},
  reports: {},
  is_writable: true,
  problem: null,
};

describe("annotations", () => {
  let asked = 0;

  /** A server that answers a number of requests with 503, and the next ones correctly. */
  function refuse(times: number): void {
    asked = 0;
    vi.stubGlobal("fetch", () => {
      asked++;
      return Promise.resolve(asked <= times ? new Response("busy", { status: 503 }) : Response.json(ANSWER));
    });
  }

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is requested again with growing pauses until it arrives", async () => {
    refuse(3);
    await annotations.load();
    expect(annotations.problem).not.toBeNull();
    await vi.advanceTimersByTimeAsync(999);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toBe(2);
    await vi.advanceTimersByTimeAsync(2000);
    expect([asked, annotations.runs.size]).toEqual([3, 0]);
    await vi.advanceTimersByTimeAsync(4000);
    expect([asked, annotations.notesOf("a")?.note, annotations.problem]).toEqual([4, "kept", null]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toBe(4);
  });

  it("does not take back a change that was answered while it was read", async () => {
    let arrive: (older: Response) => void = () => undefined;
    const older = new Promise<Response>((resolve) => (arrive = resolve));
    const changed = { ...ANSWER, runs: { a: { ...NOTES, note: "newer", version: 2 } } };
    const answers = [older, Promise.resolve(Response.json(changed)), Promise.resolve(Response.json(changed))];
    vi.stubGlobal("fetch", () => answers.shift());
    const reading = annotations.load();
    expect(await annotations.changeNote("a", "kept", "newer")).toBe(true);
    arrive(Response.json(ANSWER));
    await reading;
    expect([annotations.notesOf("a")?.note, answers.length]).toEqual(["newer", 0]);
  });

  it("sends a change of many runs in parts, and stops at one that fails", async () => {
    const names = Array.from({ length: 25_000 }, (_, number) => `run ${number}`);
    const sent: string[][] = [];
    const answer =
      (parts: number) =>
      (_: unknown, { body = "" }: { body?: string } = {}) => {
        if (body === "") return Promise.resolve(Response.json(ANSWER));
        const changes = (JSON.parse(body) as { changes: { run: string; tags: string[]; version: number }[] }).changes;
        sent.push(changes.map(({ run }) => run));
        if (sent.length > parts) return Promise.resolve(new Response("full", { status: 503 }));
        const runs = Object.fromEntries(changes.map(({ run, tags, version }) => [run, { ...NOTES, tags, version: version + 1 }]));
        return Promise.resolve(Response.json({ ...ANSWER, runs }));
      };
    vi.stubGlobal("fetch", answer(3));
    expect(await annotations.changeRuns(names, { labels: { added: ["paper"], removed: [] } })).toBe(true);
    expect(sent.map(({ length }) => length)).toEqual([10_000, 10_000, 5_000]);
    expect(sent.flat()).toEqual(names);
    expect(names.every((name) => annotations.notesOf(name)?.tags.includes("paper"))).toBe(true);
    sent.length = 0;
    vi.stubGlobal("fetch", answer(1));
    expect(await annotations.changeRuns(names, { labels: { added: ["late"], removed: [] } })).toBe(false);
    expect(sent).toHaveLength(2);
    expect(annotations.problem?.what).toContain("503");
  });

  it("says that a change failed, though it can be read", async () => {
    refuse(1);
    expect(await annotations.changeRuns(["a"], { archived: true })).toBe(false);
    expect([asked, annotations.notesOf("a")?.archived]).toEqual([2, false]);
    await annotations.load();
    expect(annotations.problem?.what).toContain("503");
  });
});
