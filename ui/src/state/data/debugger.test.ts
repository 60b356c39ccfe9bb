// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, it, vi } from "vitest";

import { debugVerdicts, type DebugSource } from "./debugger";

afterEach(() => vi.unstubAllGlobals());

function source(run: string, tensors = 10): DebugSource {
  const ranks = [{ rank: 0, steps: 5, first_step: 1, last_step: 5 }];
  return {
    ...{ run, source: ".", format: "mindscope", framework: "torch", facts: {}, ranks, tensors },
    ...{ figures: [], problems: [], problem_count: 0, version: "1" },
  };
}

it("searches each source to its end, and continues after one that can't be read", async () => {
  const requested: string[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    const { run } = JSON.parse(body) as { run: string };
    requested.push(run);
    if (run === "damaged") return Promise.resolve(Response.json({ code: "unreadable", remedy: "" }, { status: 409 }));
    return Promise.resolve(Response.json({ is_complete: requested.filter((each) => each === run).length > 1, found: null }));
  });
  const sources = [source("damaged"), source("long"), source("huge", 10_000_000)];
  const verdicts = await debugVerdicts.read({ sources }, new AbortController().signal, undefined);
  expect(requested).toEqual(["damaged", "long", "long"]);
  expect(verdicts.map(({ key, answer }) => [key.run, answer?.is_complete ?? null])).toEqual([
    ["damaged", null],
    ["long", true],
    ["huge", null],
  ]);
});
