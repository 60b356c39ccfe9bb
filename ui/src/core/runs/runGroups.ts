// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../text/naturalSort";

/** Runs that are compared as one. */
export interface RunGroup {
  key: string;
  runs: readonly string[];
}

/** The directory that holds a run; "" for one directly under the base. */
export function directoryOf(run: string): string {
  const slash = run.lastIndexOf("/");
  return slash < 0 ? "" : run.slice(0, slash);
}

/** Runs grouped by a key, in the order of the keys; a run without a key is under `none`. */
export function gather(runs: readonly string[], keyOf: (run: string) => string | null, none: string): RunGroup[] {
  const byKey = new Map<string, string[]>();
  for (const run of runs) {
    const key = keyOf(run) ?? none;
    const members = byKey.get(key);
    if (members) members.push(run);
    else byKey.set(key, [run]);
  }
  return [...byKey].map(([key, members]) => ({ key, runs: members })).sort((one, other) => compareNames(one.key, other.key));
}
