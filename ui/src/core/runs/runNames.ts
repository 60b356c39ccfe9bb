// SPDX-License-Identifier: Apache-2.0
import type { ParameterCell } from "../lineage/parameterTable";
import { formatSetting } from "../text/format";
import { differingText, nameParts, wordsOf, type NamePart } from "../text/nameParts";
import { gather, type RunGroup } from "./runGroups";

/** The name of a run in parts. Where there is no room, what runs share is shortened first. */
export type RunLabel = readonly NamePart[];

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

/** A path as its directories, which others may share, and its last part. */
export function pathLabel(path: string): RunLabel {
  const slash = path.lastIndexOf("/") + 1;
  return [{ text: path.slice(0, slash), isShared: true }, ...wholeName(path.slice(slash))].filter(({ text }) => text !== "");
}

export function labelText(label: RunLabel): string {
  return label.map(({ text }) => text).join("");
}

/** A label without its first letters. */
export function labelFrom(label: RunLabel, start: number): RunLabel {
  let skipped = 0;
  return label
    .map((part) => {
      const text = part.text.slice(Math.max(0, start - skipped));
      skipped += part.text.length;
      return { ...part, text };
    })
    .filter(({ text }) => text !== "");
}

function wholeName(text: string): NamePart[] {
  return [{ text, isShared: false }];
}

/** The trackers whose logs are read in place, by the dialect of the log. */
export const TRACKERS: ReadonlyMap<string, string> = new Map([
  ["wandb", "Weights & Biases"],
  ["mlflow", "MLflow"],
  ["mlflow_files", "MLflow"],
  ["swanlab", "SwanLab"],
  ["trackio", "Trackio"],
  ["dvclive", "DVCLive"],
  ["clearml", "ClearML"],
]);

/** The tracker that logged a run; null for event files. */
export function trackerOf({ dialects }: { dialects: readonly string[] }): string | null {
  return TRACKERS.get(dialects.find((dialect) => TRACKERS.has(dialect)) ?? "") ?? null;
}

/** The paths by which runs are named: of a run of another tracker the one with its name there, if no other has it. */
export function namingPaths(runs: readonly { id: string; name: string; dialects: readonly string[] }[]): string[] {
  const names = runs.map((run) => (trackerOf(run) === null ? run.id : run.name));
  const counts = Map.groupBy(names, (name) => name);
  return names.map((name, index) => {
    const { id } = runs[index]!;
    return counts.get(name)!.length === 1 || name === id ? name : `${name} (${id.slice(id.lastIndexOf("/") + 1)})`;
  });
}

/** Names without the directories, the beginning and the end that all runs share; different runs have different names. */
export function shortLabels(ids: readonly string[]): ReadonlyMap<string, RunLabel> {
  const paths = ids.map((id) => id.split("/"));
  const [first, last] = sharedDirectories(paths);
  const names = paths.map((path) => path.slice(first, path.length - last).join("/"));
  const isFlat = names.every((name) => !name.includes("/"));
  const all = nameParts(names, LEAST_OWN, LEAST_SHARED);
  if (isFlat && ids.length > 1 && isSharing(all)) return new Map(ids.map((id, index) => [id, withoutEnds(all[index]!)]));
  const labels = familyParts(names, LEAST_OWN, LEAST_SHARED);
  return new Map(ids.map((id, index) => [id, labels[index]!]));
}

/** The parts from the first to the last in which a name differs from others. */
function withoutEnds(parts: RunLabel): RunLabel {
  const isOwn = ({ isShared }: NamePart): boolean => !isShared;
  return parts.slice(parts.findIndex(isOwn), parts.findLastIndex(isOwn) + 1);
}

function isSharing(names: readonly (readonly NamePart[])[]): boolean {
  return names.some((parts) => parts.some(({ isShared }) => isShared));
}

/** As `nameParts`, of families of names that share something: all, those of one directory, or with one first word. */
function familyParts(names: readonly string[], kept: number, least: number): NamePart[][] {
  const lead = names.length > 1 ? sharedDirectories(names.map((name) => name.split("/")))[0] : 0;
  const start = names[0]?.split("/").slice(0, lead).join("/").length ?? 0;
  const rests = names.map((name) => name.slice(lead === 0 ? 0 : start + 1));
  const all = nameParts(rests, kept, least);
  const parts = isSharing(all) ? all : partsByFirstWord(rests, kept, least);
  return lead === 0 ? parts : parts.map((own, index) => afterShared(names[index]!.slice(0, start + 1), own));
}

function afterShared(lead: string, parts: readonly NamePart[]): NamePart[] {
  const [first, ...others] = parts;
  return first?.isShared ? [{ text: lead + first.text, isShared: true }, ...others] : [{ text: lead, isShared: true }, ...parts];
}

function partsByFirstWord(names: readonly string[], kept: number, least: number): NamePart[][] {
  const families = gather(names, (name) => wordsOf(name)[0] ?? "", "");
  if (families.length < 2) return names.map(wholeName);
  const parts = new Map<string, NamePart[]>();
  for (const { runs: family } of families) {
    const own = family.length > 1 ? familyParts(family, kept, least) : family.map(wholeName);
    family.forEach((name, index) => parts.set(name, own[index]!));
  }
  return names.map((name) => parts.get(name)!);
}

/** Results of `distinctNames`: hundreds of charts name the same runs. */
const distinct = new Map<string, readonly string[]>();
const MOST_DISTINCT = 32;

/** The names, of runs or others, that say what differs and nothing else: different names stay different. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const key = JSON.stringify(names);
  let texts = distinct.get(key);
  if (texts === undefined) {
    if (distinct.size >= MOST_DISTINCT) distinct.clear();
    distinct.set(key, (texts = differingNames(names)));
  }
  return texts;
}

function differingNames(names: readonly string[]): string[] {
  const different = [...new Set(names)];
  const [only = ""] = different;
  if (different.length === 1) return names.map(() => only.slice(only.lastIndexOf("/") + 1));
  const choices = [familyParts(different, 1, 1), nameParts(different)].map((parts) => parts.map(differingText));
  const short = choices.find((texts) => new Set(texts).size === different.length) ?? different;
  return names.map((name) => short[different.indexOf(name)]!);
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
      if (parts.length > 0) labels.set(id, wholeName(parts.join(", ")));
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
