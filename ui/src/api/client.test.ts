// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, it, vi } from "vitest";

import { ApiError, isAbort, request } from "./client";

afterEach(() => vi.unstubAllGlobals());

const REFUSAL = { error: { code: "profile_not_read", message: "later", remedy: "" } };

/** Lets a server refuse the first requests. Returns what counts all. */
function refuse(refusals: number, headers: Record<string, string>): () => number {
  let requests = 0;
  vi.stubGlobal("fetch", () => {
    requests += 1;
    return Promise.resolve(requests > refusals ? Response.json({}) : Response.json(REFUSAL, { status: 409, headers }));
  });
  return () => requests;
}

it("sends a request again that the server wants later", async () => {
  const count = refuse(2, { "retry-after": "0.01" });
  expect((await request("/")).status).toBe(200);
  expect(count()).toBe(3);
});

it("takes a conflict without a time as an error", async () => {
  const count = refuse(2, {});
  await expect(request("/")).rejects.toThrow(ApiError);
  expect(count()).toBe(1);
});

it("sends nothing after it was aborted", async () => {
  const count = refuse(2, { "retry-after": "3600" });
  const controller = new AbortController();
  const answer = request("/", { signal: controller.signal }).catch((error: unknown) => error);
  await vi.waitUntil(() => count() === 1);
  controller.abort();
  expect(isAbort(await answer)).toBe(true);
  expect(count()).toBe(1);
});
