// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../text/naturalSort";

/** A response with the list: all of it, or the changes. */
export interface RunNews<Run> {
  is_whole: boolean;
  gone: readonly string[];
  runs: readonly Run[];
}

/** The list after the news, by name; the same list when there is none, and the same runs where nothing is new. */
export function renewed<Run extends { id: string }>(
  known: readonly Run[],
  { is_whole: isWhole, gone, runs }: RunNews<Run>,
): readonly Run[] {
  if (isWhole) return sorted(runs);
  if (runs.length === 0 && gone.length === 0) return known;
  const news = new Map(runs.map((run) => [run.id, run]));
  const left = new Set(gone);
  const kept = known.filter(({ id }) => !left.has(id)).map((run) => take(news, run.id) ?? run);
  return news.size === 0 ? kept : sorted([...kept, ...news.values()]);
}

/** Equal keys mean that the tags of a run did not change. */
interface Holder {
  tags: Readonly<Record<string, number>>;
  files: number;
  first_wall_time: number | null;
}

export function holdsTheSame(one: Holder | undefined, other: Holder | undefined): boolean {
  if (one === other) return true;
  if (!one || !other || one.files !== other.files || one.first_wall_time !== other.first_wall_time) return false;
  const kinds = Object.entries(one.tags);
  return kinds.length === Object.keys(other.tags).length && kinds.every(([kind, count]) => other.tags[kind] === count);
}

function take<Value>(values: Map<string, Value>, key: string): Value | undefined {
  const value = values.get(key);
  values.delete(key);
  return value;
}

function sorted<Run extends { id: string }>(runs: readonly Run[]): Run[] {
  return [...runs].sort((one, other) => compareNames(one.id, other.id));
}
