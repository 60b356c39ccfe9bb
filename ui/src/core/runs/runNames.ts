// SPDX-License-Identifier: Apache-2.0
import type { ParameterCell } from "../lineage/parameterTable";
import { formatSetting } from "../text/format";
import { between, sharedEnds, type SharedEnds } from "../text/sharedEnds";
import { gather, type RunGroup } from "./runGroups";

/** The name of a run in parts. Where there is no room, directory, prefix and suffix are shortened first. */
export interface RunLabel {
  /** Directories, without the slash after them. */
  directory: string;
  /** What the name begins with, as do those of all runs in its directory. */
  prefix: string;
  own: string;
  /** What the name ends with, as do those of all runs in its directory. */
  suffix: string;
}

/** A field of the lineage and its value in every run. */
export interface NamingField {
  name: string;
  valueOf: (run: string) => ParameterCell;
}

/** What a name keeps at least when shared text is left out. */
const LEAST_OWN = 4;
/** Fewer shared letters are not worth leaving out. */
const LEAST_SHARED = 8;
const MOST_FIELDS = 4;
const LONGEST_VALUE = 24;

/** A path as directory and last part. */
export function pathLabel(path: string): RunLabel {
  const slash = path.lastIndexOf("/");
  return { directory: slash > 0 ? path.slice(0, slash) : "", prefix: "", own: path.slice(slash + 1), suffix: "" };
}

export function labelText({ directory, prefix, own, suffix }: RunLabel): string {
  return `${directory}${directory === "" ? "" : "/"}${prefix}${own}${suffix}`;
}

/** Names without the directories, the beginning and the end that all runs share; different runs have different names. */
export function shortLabels(ids: readonly string[]): ReadonlyMap<string, RunLabel> {
  const paths = ids.map((id) => id.split("/"));
  const [first, last] = sharedDirectories(paths);
  const labels = new Map(ids.map((id, index) => [id, pathLabel(paths[index]!.slice(first, paths[index]!.length - last).join("/"))]));
  if (withoutDirectories(labels)) {
    const shared = longSharedEnds([...labels.values()].map(({ own }) => own));
    for (const label of labels.values()) label.own = between(label.own, shared);
  }
  partBySiblings(labels);
  return labels;
}

/** How many directories all paths begin with, and how many last parts they all end with; every path keeps one. */
function sharedDirectories(paths: readonly (readonly string[])[]): [number, number] {
  const [one] = paths;
  if (!one || paths.length < 2) return [0, 0];
  const shortest = Math.min(...paths.map(({ length }) => length));
  let first = 0;
  while (first < shortest - 1 && paths.every((path) => path[first] === one[first])) first++;
  let last = 0;
  while (last < shortest - first - 1 && paths.every((path) => path.at(-1 - last) === one.at(-1 - last))) last++;
  return [first, last];
}

function withoutDirectories(labels: ReadonlyMap<string, RunLabel>): boolean {
  return labels.size > 1 && [...labels.values()].every(({ directory }) => directory === "");
}

/** What the names in one directory share becomes their prefix and suffix. */
function partBySiblings(labels: ReadonlyMap<string, RunLabel>): void {
  for (const { runs } of gather([...labels.keys()], (id) => labels.get(id)!.directory, "")) {
    const siblings = runs.map((id) => labels.get(id)!);
    const shared = longSharedEnds(siblings.map(({ own }) => own));
    for (const label of siblings) {
      const { own } = label;
      Object.assign(label, { prefix: own.slice(0, shared.start), own: between(own, shared), suffix: own.slice(own.length - shared.end) });
    }
  }
}

/** The beginning and the end that names share, if leaving both out saves enough. */
function longSharedEnds(names: readonly string[]): SharedEnds {
  const shared = sharedEnds(names, LEAST_OWN);
  return shared.start + shared.end < LEAST_SHARED ? { start: 0, end: 0 } : shared;
}

/**
 * Names made of the parameters in which a run differs from those around it: of the nearest directory that holds several
 * runs with parameters. Runs without such a parameter have no name here; runs of equal values have the same.
 */
export function parameterLabels(ids: readonly string[], fields: readonly NamingField[]): ReadonlyMap<string, RunLabel> {
  const known = ids.filter((id) => fields.some(({ valueOf }) => isNaming(valueOf(id))));
  const labels = new Map<string, RunLabel>();
  for (const { runs: members } of families(known)) {
    const differing = differingFields(members, fields);
    for (const id of members) {
      const parts = differing.flatMap(({ name, valueOf }) => (isNaming(valueOf(id)) ? [`${name} ${valueText(valueOf(id))}`] : []));
      if (parts.length > 0) labels.set(id, { directory: "", prefix: "", own: parts.join(", "), suffix: "" });
    }
  }
  return labels;
}

/** Runs by the nearest directory around them that holds several of them. */
function families(ids: readonly string[]): RunGroup[] {
  const counts = new Map<string, number>();
  for (const directory of ids.flatMap(directoriesOf)) counts.set(directory, (counts.get(directory) ?? 0) + 1);
  return gather(ids, (id) => directoriesOf(id).find((directory) => counts.get(directory)! > 1) ?? null, "");
}

/** The directories around a run, the nearest first; "" for the base. */
function directoriesOf(id: string): string[] {
  const parts = id.split("/");
  return parts.map((_, index) => parts.slice(0, parts.length - 1 - index).join("/"));
}

/** The fewest fields that separate the runs, in the order of the fields; free text such as notes only if no other field does. */
function differingFields(ids: readonly string[], fields: readonly NamingField[]): NamingField[] {
  const differing = fields.filter((field) => combinations(ids, [field]) > 1);
  const settings = differing.filter((field) => !isNumbering(ids, field));
  const offered = settings.length > 0 ? settings : differing;
  const taken: NamingField[] = [];
  while (taken.length < MOST_FIELDS) {
    const counts = offered.map((field) => combinations(ids, [...taken, field]));
    const most = Math.max(0, ...counts);
    if (most <= combinations(ids, taken)) break;
    taken.push(offered[counts.indexOf(most)]!);
  }
  return offered.filter((field) => taken.includes(field));
}

/** How many different ones the values of the fields make together. */
function combinations(ids: readonly string[], fields: readonly NamingField[]): number {
  return new Set(ids.map((id) => JSON.stringify(fields.map(({ valueOf }) => (isNaming(valueOf(id)) ? valueOf(id) : null))))).size;
}

/** Whether a field holds another text in every one of several runs. */
function isNumbering(ids: readonly string[], { valueOf }: NamingField): boolean {
  return ids.length > 2 && new Set(ids.map(valueOf)).size === ids.length && ids.every((id) => typeof valueOf(id) === "string");
}

function isNaming(value: ParameterCell): boolean {
  return value !== null && String(value).length <= LONGEST_VALUE;
}

function valueText(value: ParameterCell): string {
  return typeof value === "number" ? formatSetting(value) : String(value);
}
