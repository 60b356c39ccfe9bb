// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ApiError, UNREACHABLE } from "../../api/client";
import { Resource } from "./resource.svelte";
import { noRuns, readOnce, type ResourceDefinition } from "./resourceCache";
import { announceChanges } from "./runChanges";

/** One call of `read`, which the test answers. */
interface Call {
  query: string;
  signal: AbortSignal;
  known: string | undefined;
  resolve: (value: string) => void;
  reject: (error: unknown) => void;
}

type Options = Partial<Pick<ResourceDefinition<string, string>, "runs" | "bytes" | "keepsValue">>;

let definitions = 0;

/** A resource whose queries name a run, and its calls; each has a cache of its own. */
function server(options: Options = {}): { calls: Call[]; definition: ResourceDefinition<string, string> } {
  const calls: Call[] = [];
  const definition: ResourceDefinition<string, string> = {
    kind: `test ${definitions++}`,
    read: (query, signal, known) =>
      new Promise((resolve, reject) => {
        calls.push({ query, signal, known, resolve, reject });
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
    runs: (query) => [query],
    ...options,
  };
  return { calls, definition };
}

const CACHED: Options = { bytes: (value) => value.length };

/** Lets the promises of the resource run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}

async function answer(call: Call | undefined, value: string): Promise<void> {
  call!.resolve(value);
  await settle();
}

async function refuse(call: Call | undefined, code: string): Promise<void> {
  call!.reject(new ApiError(code, "failed", ""));
  await settle();
}

function shown({ value, problem, isLoading, isStale }: Resource<string, string>): unknown {
  return { value, what: problem === null ? null : problem.isUnreachable ? "unreachable" : problem.what, isLoading, isStale };
}

const IDLE = { what: null, isLoading: false, isStale: false };

describe("Resource", () => {
  it("requests a query once", async () => {
    const { calls, definition } = server();
    const resource = new Resource(definition);
    resource.request("a");
    resource.request("a");
    expect([calls.length, shown(resource)]).toEqual([1, { ...IDLE, value: null, isLoading: true }]);
    await answer(calls[0], "A");
    resource.request("a");
    expect([calls.length, shown(resource)]).toEqual([1, { ...IDLE, value: "A" }]);
  });

  it("aborts the request of the previous query, whose value stays until the next one", async () => {
    const { calls, definition } = server();
    const resource = new Resource(definition);
    resource.request("a");
    await answer(calls[0], "A");
    resource.request("b");
    resource.request("c");
    await settle();
    expect([calls[1]!.signal.aborted, calls[2]!.signal.aborted]).toEqual([true, false]);
    expect(shown(resource)).toEqual({ value: "A", what: null, isLoading: true, isStale: true });
    await answer(calls[2], "C");
    expect(shown(resource)).toEqual({ ...IDLE, value: "C" });
  });

  it("ignores a response that arrives after the next request", async () => {
    const { calls, definition } = server(CACHED);
    const resource = new Resource({
      ...definition,
      read: (query, _, known) => definition.read(query, new AbortController().signal, known),
    });
    resource.request("a");
    resource.request("b");
    await answer(calls[1], "B");
    await answer(calls[0], "A");
    expect(shown(resource)).toEqual({ ...IDLE, value: "B" });
  });

  it("hides the value of another subject", async () => {
    const { calls, definition } = server({ keepsValue: (previous, next) => previous[0] === next[0] });
    const resource = new Resource(definition);
    resource.request("a1");
    await answer(calls[0], "A");
    resource.request("a2");
    expect([resource.value, resource.isStale]).toEqual(["A", true]);
    resource.request("b");
    expect([resource.value, resource.isStale]).toEqual([null, false]);
  });

  it("keeps the value beside a problem, and retries", async () => {
    const { calls, definition } = server();
    const resource = new Resource(definition);
    resource.request("a");
    await answer(calls[0], "A");
    announceChanges(new Set(["a"]));
    await refuse(calls[1], "500");
    expect(shown(resource)).toEqual({ value: "A", what: "failed", isLoading: false, isStale: true });
    resource.retry();
    expect(shown(resource)).toEqual({ value: "A", what: null, isLoading: true, isStale: true });
    await answer(calls[2], "A2");
    expect(shown(resource)).toEqual({ ...IDLE, value: "A2" });
  });

  it("ends with its release", async () => {
    const { calls, definition } = server();
    const resource = new Resource(definition);
    resource.request("a");
    resource.release();
    await settle();
    announceChanges(null);
    resource.retry();
    expect([calls.length, calls[0]!.signal.aborted, shown(resource)]).toEqual([1, true, { ...IDLE, value: null }]);
    resource.request("a");
    await answer(calls[1], "A");
    announceChanges(new Set(["a"]));
    expect([calls.length, resource.value]).toEqual([3, "A"]);
  });
});

describe("Resource of growing runs", () => {
  it("follows its own runs only, with the value that it has", async () => {
    const { calls, definition } = server({ runs: (query) => query.split("+") });
    const resource = new Resource(definition);
    resource.request("a+b");
    await answer(calls[0], "AB");
    announceChanges(new Set(["c"]));
    expect([calls.length, resource.isStale]).toEqual([1, false]);
    announceChanges(new Set(["b"]));
    expect([calls.length, calls[1]!.known, resource.isStale]).toEqual([2, "AB", true]);
    await answer(calls[1], "ABB");
    announceChanges(null);
    expect(calls.length).toBe(3);
  });

  it("requests once more when the runs grow during a request", async () => {
    const { calls, definition } = server();
    const resource = new Resource(definition);
    resource.request("a");
    announceChanges(new Set(["a"]));
    announceChanges(new Set(["a"]));
    expect([calls.length, calls[0]!.signal.aborted]).toEqual([1, false]);
    await answer(calls[0], "A");
    expect([calls.length, resource.value, resource.isStale]).toEqual([2, "A", true]);
    await answer(calls[1], "A2");
    expect([calls.length, shown(resource)]).toEqual([2, { ...IDLE, value: "A2" }]);
  });

  it("needs no request for a cached value until its runs grow", async () => {
    const { calls, definition } = server(CACHED);
    const first = new Resource(definition);
    first.request("a");
    await answer(calls[0], "A");
    first.release();
    const second = new Resource(definition);
    second.request("a");
    expect([calls.length, shown(second)]).toEqual([1, { ...IDLE, value: "A" }]);
    second.release();
    announceChanges(new Set(["a"]));
    const third = new Resource(definition);
    third.request("a");
    expect([calls.length, calls[1]!.known, shown(third)]).toEqual([2, "A", { value: "A", what: null, isLoading: true, isStale: true }]);
  });

  it("caches a value as old when the runs grew during its request", async () => {
    const { calls, definition } = server(CACHED);
    const first = new Resource(definition);
    first.request("a");
    announceChanges(new Set(["a"]));
    await answer(calls[0], "A");
    first.release();
    new Resource(definition).request("a");
    expect(calls.map(({ known }) => known)).toEqual([undefined, "A", "A"]);
  });
});

describe("Resource that never changes", () => {
  it("is requested once, whatever grows", async () => {
    const { calls, definition } = server({ ...CACHED, runs: noRuns });
    const first = new Resource(definition);
    first.request("a");
    await answer(calls[0], "A");
    announceChanges(new Set(["a"]));
    announceChanges(null);
    const second = new Resource(definition);
    second.request("a");
    expect([calls.length, shown(first), shown(second)]).toEqual([1, { ...IDLE, value: "A" }, { ...IDLE, value: "A" }]);
  });

  it("is requested again after a problem when the connection returns", async () => {
    const { calls, definition } = server({ ...CACHED, runs: noRuns });
    const resource = new Resource(definition);
    resource.request("a");
    await refuse(calls[0], "500");
    announceChanges(new Set(["a"]));
    expect([calls.length, resource.problem?.what]).toEqual([1, "failed"]);
    announceChanges(null);
    await answer(calls[1], "A");
    expect(shown(resource)).toEqual({ ...IDLE, value: "A" });
  });

  it("shares its cache with reads outside of components", async () => {
    const { calls, definition } = server({ ...CACHED, runs: noRuns });
    const { signal } = new AbortController();
    const read = readOnce(definition, "a", signal);
    await answer(calls[0], "A");
    expect([await read, await readOnce(definition, "a", signal), calls.length]).toEqual(["A", "A", 1]);
    const resource = new Resource(definition);
    resource.request("a");
    expect([resource.value, calls.length]).toEqual(["A", 1]);
  });
});

describe("Resource without a server", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("requests again after growing pauses, until the server answers", async () => {
    const { calls, definition } = server();
    const resource = new Resource(definition);
    resource.request("a");
    await refuse(calls[0], UNREACHABLE);
    expect(shown(resource)).toEqual({ ...IDLE, value: null, what: "unreachable" });
    vi.advanceTimersByTime(1000);
    await refuse(calls[1], UNREACHABLE);
    vi.advanceTimersByTime(1999);
    expect(calls.length).toBe(2);
    vi.advanceTimersByTime(1);
    await answer(calls[2], "A");
    vi.advanceTimersByTime(60_000);
    expect([calls.length, shown(resource)]).toEqual([3, { ...IDLE, value: "A" }]);
  });

  it("does not retry what the server refuses, nor what is released", async () => {
    const { calls, definition } = server();
    const refused = new Resource(definition);
    refused.request("a");
    await refuse(calls[0], "500");
    const released = new Resource(definition);
    released.request("b");
    await refuse(calls[1], UNREACHABLE);
    released.release();
    vi.advanceTimersByTime(60_000);
    expect(calls.length).toBe(2);
  });
});

describe("Resource of a job", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const POLL_MS = 400;

  interface Answer {
    is_complete?: boolean;
    progress?: { read: number } | null;
  }

  /** A job that answers each request with the next of some answers, the last one again and again; an error fails. */
  function job(answers: readonly (Answer | ApiError)[], options: Partial<ResourceDefinition<string, Answer>> = {}) {
    const requests = { count: 0 };
    const definition: ResourceDefinition<string, Answer> = {
      kind: `test ${definitions++}`,
      read: () => {
        const next = answers[Math.min(requests.count++, answers.length - 1)]!;
        return next instanceof ApiError ? Promise.reject(next) : Promise.resolve(next);
      },
      runs: noRuns,
      pollMs: POLL_MS,
      ...options,
    };
    return { requests, definition };
  }

  async function pass(milliseconds: number): Promise<void> {
    vi.advanceTimersByTime(milliseconds);
    await settle();
  }

  it.each<[string, Answer[]]>([
    ["its progress", [{ progress: { read: 1 } }, { progress: { read: 2 } }, { progress: null }]],
    ["its steps", [{ is_complete: false }, { is_complete: false }, { is_complete: true }]],
  ])("is read again until %s is complete", async (_, answers) => {
    const { requests, definition } = job(answers);
    const resource = new Resource(definition);
    resource.request("a");
    await settle();
    await pass(POLL_MS - 1);
    expect([requests.count, resource.value]).toEqual([1, answers[0]]);
    await pass(1);
    expect([requests.count, resource.value]).toEqual([2, answers[1]]);
    await pass(POLL_MS);
    await pass(60_000);
    expect([requests.count, resource.value, resource.isStale]).toEqual([3, answers[2], false]);
  });

  it("is not read again without an interval", async () => {
    const { requests, definition } = job([{ is_complete: false }]);
    Reflect.deleteProperty(definition, "pollMs");
    new Resource(definition).request("a");
    await settle();
    await pass(60_000);
    expect(requests.count).toBe(1);
  });

  it("pauses, and continues with its request", async () => {
    const { requests, definition } = job([{ is_complete: false }]);
    const resource = new Resource(definition);
    resource.request("a");
    await settle();
    resource.pause();
    await pass(60_000);
    expect(requests.count).toBe(1);
    resource.request("a");
    await pass(POLL_MS);
    expect(requests.count).toBe(2);
    resource.release();
    await pass(60_000);
    expect(requests.count).toBe(2);
  });

  it("continues after growing pauses when a request fails", async () => {
    const { requests, definition } = job([{ is_complete: false }, new ApiError("500", "failed", ""), { is_complete: true }]);
    const resource = new Resource(definition);
    resource.request("a");
    await settle();
    await pass(POLL_MS);
    expect([requests.count, resource.problem?.what]).toEqual([2, "failed"]);
    await pass(999);
    expect(requests.count).toBe(2);
    await pass(1);
    expect([requests.count, resource.problem, resource.value]).toEqual([3, null, { is_complete: true }]);
  });

  it("is cached as old until it is complete", async () => {
    const { requests, definition } = job([{ is_complete: false }, { is_complete: true }], { bytes: () => 1 });
    const first = new Resource(definition);
    first.request("a");
    await settle();
    first.release();
    const second = new Resource(definition);
    second.request("a");
    expect([requests.count, second.value]).toEqual([2, { is_complete: false }]);
    await settle();
    second.release();
    const third = new Resource(definition);
    third.request("a");
    expect([requests.count, third.value]).toEqual([2, { is_complete: true }]);
  });
});
