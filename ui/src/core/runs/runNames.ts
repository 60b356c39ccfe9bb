// SPDX-License-Identifier: Apache-2.0
import type { HparamCell } from "./hparamTable";
import { formatSetting } from "../text/format";
import { gather, type RunGroup } from "./runGroups";

/** The name of a run in parts. Where there is no room, the first part gives way first and the end of the last stays. */
export interface RunLabel {
  /** Directories, without the slash after them. */
  directory: string;
  /** What the last part has in common with the runs beside it. */
  shared: string;
  own: string;
}

/** A field of the lineage and its value in every run. */
export interface NamingField {
  name: string;
  valueOf: (run: string) => HparamCell;
}

/** What a name keeps at least when shared text is left out. */
const LEAST_OWN = 4;
/** A beginning that is shorter is not worth leaving out. */
const LEAST_SHARED = 8;
const MOST_FIELDS = 4;
const LONGEST_VALUE = 24;
/** Where a name may be parted: 0.02 and 013331 stay whole. */
const TOKEN = /[^-_=,+@: ]*(?:[-_=,+@: ]+|$)/y;

/** A path as directory and last part. */
export function pathLabel(path: string): RunLabel {
  const slash = path.lastIndexOf("/");
  return { directory: slash > 0 ? path.slice(0, slash) : "", shared: "", own: path.slice(slash + 1) };
}

export function labelText({ directory, shared, own }: RunLabel): string {
  return `${directory}${directory === "" ? "" : "/"}${shared}${own}`;
}

/** Names without the directories and the beginning that all runs share; different runs have different names. */
export function shortLabels(ids: readonly string[]): ReadonlyMap<string, RunLabel> {
  const paths = ids.map((id) => id.split("/"));
  const [first, last] = sharedEnds(paths);
  const labels = new Map(ids.map((id, index) => [id, pathLabel(paths[index]!.slice(first, paths[index]!.length - last).join("/"))]));
  const beginning = withoutDirectories(labels) ? sharedBeginning([...labels.values()].map(({ own }) => own)) : "";
  if (beginning.length >= LEAST_SHARED) for (const label of labels.values()) label.own = label.own.slice(beginning.length);
  partBySiblings(labels);
  return labels;
}

/** How many directories all paths begin with, and how many last parts they all end with; every path keeps one. */
function sharedEnds(paths: readonly (readonly string[])[]): [number, number] {
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

/** What the runs of one directory have in common is a part by itself. */
function partBySiblings(labels: ReadonlyMap<string, RunLabel>): void {
  for (const { runs } of gather([...labels.keys()], (id) => labels.get(id)!.directory, "")) {
    const siblings = runs.map((id) => labels.get(id)!);
    const { length } = siblings.length > 1 ? sharedBeginning(siblings.map(({ own }) => own)) : "";
    if (length < LEAST_SHARED) continue;
    for (const label of siblings) [label.shared, label.own] = [label.own.slice(0, length), label.own.slice(length)];
  }
}

/** The whole tokens that all texts begin with, as far as each keeps some letters. */
function sharedBeginning(texts: readonly string[]): string {
  const [one = "", ...others] = texts;
  let end = 0;
  TOKEN.lastIndex = 0;
  for (;;) {
    const token = TOKEN.exec(one)?.[0] ?? "";
    const next = end + token.length;
    const isShared = token !== "" && others.every((text) => text.startsWith(token, end));
    if (!isShared || texts.some((text) => text.length - next < LEAST_OWN)) return one.slice(0, end);
    end = next;
    TOKEN.lastIndex = end;
  }
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
      if (parts.length > 0) labels.set(id, { directory: "", shared: "", own: parts.join(", ") });
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

function isNaming(value: HparamCell): boolean {
  return value !== null && String(value).length <= LONGEST_VALUE;
}

function valueText(value: HparamCell): string {
  return typeof value === "number" ? formatSetting(value) : String(value);
}
