// SPDX-License-Identifier: Apache-2.0
/** The directory of a run and its new path, both below the base directory. */
export interface RunMove {
  run: string;
  to: string;
}

/**
 * Moves of runs into a directory, "" for the base directory. Runs below another of them go with it. The start that all paths share is
 * left out, so runs of one directory become neighbors again.
 */
export function movesInto(runs: readonly string[], directory: string): RunMove[] {
  const all = new Set(runs);
  const outer = runs.filter((run) => !parentsOf(run).some((parent) => all.has(parent)));
  const shared = sharedParent(outer);
  const into = directory
    .trim()
    .split("/")
    .filter((name) => name !== "")
    .join("/");
  return outer.map((run) => ({ run, to: [into, run.slice(shared.length)].filter((part) => part !== "").join("/") }));
}

/** Directories that could be meant: those of other runs, nearest to the base first. */
export function directoriesOf(runs: readonly string[]): string[] {
  return [...new Set(runs.flatMap(parentsOf))].sort((one, other) => depth(one) - depth(other) || one.localeCompare(other));
}

function parentsOf(run: string): string[] {
  const names = run.split("/");
  return names.slice(1).map((_, count) => names.slice(0, count + 1).join("/"));
}

function sharedParent(runs: readonly string[]): string {
  const [first = "", ...others] = runs;
  const parent = parentsOf(first)
    .map((path) => `${path}/`)
    .findLast((path) => others.every((run) => run.startsWith(path)));
  return parent ?? "";
}

function depth(path: string): number {
  return path.split("/").length;
}
