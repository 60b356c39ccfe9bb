// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { throttle } from "./throttle";
import { LruCache } from "./lruCache";

describe("LruCache", () => {
  it("forgets what was longest unused when it is full", () => {
    const cache = new LruCache<string>(10);
    cache.put("a", ["run"], "A", 4);
    cache.put("b", ["run"], "B", 4);
    cache.get("a");
    cache.put("c", ["run"], "C", 4);
    expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual(["A", undefined, "C"]);
  });

  it("keeps expired rows to look at", () => {
    const cache = new LruCache<string>();
    cache.put("a", ["one"], "A", 1);
    cache.put("b", ["two"], "B", 1);
    cache.put("c", [], "C", 1);
    cache.expire(new Set(["one"]));
    expect([cache.isFresh("a"), cache.isFresh("b"), cache.get("a")]).toEqual([false, true, "A"]);
    cache.put("a", ["one"], "A2", 1);
    expect(cache.isFresh("a")).toBe(true);
    cache.expire(null);
    expect([cache.isFresh("b"), cache.isFresh("c")]).toEqual([false, true]);
  });

  it("keeps the newest even when it alone is too large", () => {
    const cache = new LruCache<string>(1);
    cache.put("a", ["run"], "A", 5);
    expect(cache.get("a")).toBe("A");
  });
});

describe("throttle", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs at once, then once for all calls in the meantime", () => {
    const action = vi.fn();
    const call = throttle(action, () => 100);
    call();
    call();
    call();
    expect(action).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(100);
    expect(action).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(500);
    expect(action).toHaveBeenCalledTimes(2);
    call();
    expect(action).toHaveBeenCalledTimes(3);
  });
});
