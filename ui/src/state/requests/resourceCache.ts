// SPDX-License-Identifier: Apache-2.0
import { LruCache, type RunDependency } from "./lruCache";
import { onChanges } from "./runChanges";

export { ANY_RUN, isAffected, type RunDependency } from "./lruCache";

/** What a resource is: how it is read, which runs it depends on, and how much memory it takes. */
export interface ResourceDefinition<Query, Value> {
  /** Separates the values of different resources in the cache. */
  kind: string;
  /** `known` is the previous value of the same query, from before its runs grew. */
  read: (query: Query, signal: AbortSignal, known: Value | undefined) => Promise<Value>;
  /** The value expires when one of these runs grows; none for a value that never changes. */
  runs: (query: Query) => RunDependency;
  /** Size of a value; without it, the cache holds no values of this resource. */
  bytes?: (value: Value) => number;
  /** Whether the value of the previous query stays visible until the next one arrives; true if absent. */
  keepsValue?: (previous: Query, next: Query) => boolean;
  /** After these milliseconds, an answer of a job that is not complete is read again. */
  pollMs?: number;
}

/** What answers of jobs have in common: their progress, or whether they are complete. */
interface JobAnswer {
  progress?: unknown;
  is_complete?: boolean;
}

/** Whether a value is the answer of a job that is not complete. */
export function isPartial<Query, Value>({ pollMs }: ResourceDefinition<Query, Value>, value: Value | null): boolean {
  const { progress, is_complete: isComplete } = (value ?? {}) as JobAnswer;
  return pollMs !== undefined && (isComplete === false || (progress ?? null) !== null);
}

const LIMIT_BYTES = 144 * 1024 * 1024;
const ENTRY_BYTES = 256;

const cache = new LruCache<unknown>(LIMIT_BYTES);

onChanges((changed) => cache.expire(changed));

/** Runs of a resource that never changes. */
export function noRuns(): readonly string[] {
  return [];
}

export function cacheKey<Query, Value>({ kind }: ResourceDefinition<Query, Value>, query: Query): string {
  return JSON.stringify([kind, query]);
}

export function cachedValue<Value>(key: string): Value | undefined {
  return cache.get(key) as Value | undefined;
}

export function isCacheFresh(key: string): boolean {
  return cache.isFresh(key);
}

export function cacheValue<Query, Value>(
  definition: ResourceDefinition<Query, Value>,
  { key, runs }: { key: string; runs: RunDependency },
  value: Value,
  isFresh = true,
): void {
  const isWhole = isFresh && !isPartial(definition, value);
  if (definition.bytes) cache.put(key, runs, value, definition.bytes(value) + ENTRY_BYTES, isWhole);
}

/** Reads a value once, from the cache if it is fresh there. Raises what the read raises. */
export async function readOnce<Query, Value>(
  definition: ResourceDefinition<Query, Value>,
  query: Query,
  signal: AbortSignal,
): Promise<Value> {
  const key = cacheKey(definition, query);
  const known = cachedValue<Value>(key);
  if (known !== undefined && cache.isFresh(key)) return known;
  const value = await definition.read(query, signal, known);
  cacheValue(definition, { key, runs: definition.runs(query) }, value);
  return value;
}
