// SPDX-License-Identifier: Apache-2.0
import { untrack } from "svelte";

import { isAbort } from "../../api/client";
import { Backoff } from "./backoff";
import { problemOf, type Problem } from "./problem";
import {
  cachedValue,
  cacheKey,
  cacheValue,
  isAffected,
  isCacheFresh,
  isPartial,
  type ResourceDefinition,
  type RunDependency,
} from "./resourceCache";
import { onChanges } from "./runChanges";

interface Target<Query> {
  query: Query;
  key: string;
  runs: RunDependency;
}

interface Pending {
  abort: AbortController;
  /** The runs grew after the request began. */
  isOutdated: boolean;
}

/** A value of the server for a query that may change. It follows the growth of its runs, and jobs, until it is released. */
export class Resource<Query, Value> {
  /** The newest value; see `isStale`. */
  value = $state.raw<Value | null>(null);
  /** Why the last request failed. */
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(false);
  /** `value` answers a previous query, or the runs have grown since. */
  isStale = $state(false);
  readonly #definition: ResourceDefinition<Query, Value>;
  /** Null before the first request and after a release. */
  #target: Target<Query> | null = null;
  /** Key of `value`. */
  #valueKey = "";
  #pending: Pending | null = null;
  #unsubscribe: (() => void) | null = null;
  readonly #backoff = new Backoff(() => void this.#load(this.#target!));
  /** Until the next request for the value of a job that is not complete. */
  #poll: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;

  constructor(definition: ResourceDefinition<Query, Value>) {
    this.#definition = definition;
  }

  /** Shows the cached value and requests what is missing; aborts the request of another query. Tracks no state. */
  request(query: Query): void {
    const key = cacheKey(this.#definition, query);
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    if (key !== this.#target?.key) untrack(() => this.#retarget({ query, key, runs: this.#definition.runs(query) }));
    else if (wasPaused) untrack(() => this.#pollJob());
  }

  /** Requests the value of a job no further, until the next `request`. */
  pause(): void {
    this.#isPaused = true;
    clearTimeout(this.#poll);
  }

  /** Requests again after a problem. */
  retry(): void {
    this.problem = null;
    if (!this.#pending) this.reload();
  }

  /** Requests a newer value; a request in progress finishes first. */
  reload(): void {
    this.#backoff.reset();
    if (!this.#target) return;
    this.isStale = untrack(() => this.value !== null);
    if (this.#pending) this.#pending.isOutdated = true;
    else void this.#load(this.#target);
  }

  /** Forgets the query and aborts its request. The value stays. */
  release(): void {
    this.#cancel();
    this.#target = null;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  #retarget(target: Target<Query>): void {
    const previous = this.#target;
    const { keepsValue = () => true } = this.#definition;
    this.#cancel();
    this.#target = target;
    this.#unsubscribe ??= onChanges((changed) => this.#renew(changed));
    if (previous && !keepsValue(previous.query, target.query)) this.value = null;
    const cached = cachedValue<Value>(target.key);
    if (cached !== undefined) this.#show(target.key, cached, !isCacheFresh(target.key));
    else this.isStale = this.value !== null;
    if (!isCacheFresh(target.key)) void this.#load(target);
  }

  #cancel(): void {
    this.#backoff.reset();
    clearTimeout(this.#poll);
    this.#pending?.abort.abort();
    this.#pending = null;
    this.isLoading = false;
  }

  /** Null means that the server may be another one: every value that can change is read again, and every failed one. */
  #renew(changed: ReadonlySet<string> | null): void {
    const isFailed = changed === null && this.problem !== null;
    if (isFailed || isAffected(this.#target!.runs, changed)) this.reload();
  }

  #show(key: string, value: Value, isStale: boolean): void {
    this.value = value;
    this.#valueKey = key;
    this.isStale = isStale;
    this.problem = null;
    this.#backoff.reset();
  }

  get #isPartial(): boolean {
    return this.#valueKey === this.#target?.key && isPartial(this.#definition, this.value);
  }

  #pollJob(): void {
    clearTimeout(this.#poll);
    if (!this.#isPaused && !this.#pending && !this.problem && this.#isPartial) {
      this.#poll = setTimeout(() => this.reload(), this.#definition.pollMs);
    }
  }

  async #load(target: Target<Query>): Promise<void> {
    clearTimeout(this.#poll);
    const pending: Pending = { abort: new AbortController(), isOutdated: false };
    this.#pending = pending;
    this.isLoading = true;
    try {
      const value = await this.#definition.read(target.query, pending.abort.signal, this.#known(target.key));
      if (this.#pending !== pending) return;
      cacheValue(this.#definition, target, value, !pending.isOutdated);
      this.#show(target.key, value, pending.isOutdated);
    } catch (error) {
      if (this.#pending === pending && !isAbort(error)) this.#fail(problemOf(error));
    }
    if (this.#pending !== pending) return;
    this.#pending = null;
    this.isLoading = false;
    if (pending.isOutdated) this.reload();
    else this.#pollJob();
  }

  #known(key: string): Value | undefined {
    return cachedValue<Value>(key) ?? (this.#valueKey === key ? (untrack(() => this.value) ?? undefined) : undefined);
  }

  #fail(problem: Problem): void {
    this.problem = problem;
    if (problem.isUnreachable || this.#isPartial) this.#backoff.failed();
  }
}

/** A resource that requests `query()` whenever it changes, nothing while it is null, and ends with the component. */
export function createResource<Query, Value>(
  definition: ResourceDefinition<Query, Value>,
  query: () => Query | null,
): Resource<Query, Value> {
  const resource = new Resource(definition);
  $effect(() => {
    const next = query();
    if (next !== null) resource.request(next);
    else resource.pause();
  });
  $effect(() => () => resource.release());
  return resource;
}
