// SPDX-License-Identifier: Apache-2.0
import type { ParameterCell } from "../lineage/parameterTable";
import { binOf, binsOf } from "./bins";
import { formatSetting } from "../text/format";
import { compareNames } from "../text/naturalSort";
import type { RunGroup } from "./runGroups";

/** A parameter, and the value of each run. */
export interface GroupingParameter {
  name: string;
  cells: ReadonlyMap<string, ParameterCell>;
}

/** The name of a run under a parameter, and its order among the others. */
interface Share {
  text: string;
  /** Of a range of numbers; Infinity for a run without a number. */
  low: number;
  isMissing: boolean;
}

/** Runs with equal values of all parameters, such as "lr = 0.1, optimizer = adam"; many different numbers are grouped by ranges. */
export function parameterGroups(runs: readonly string[], parameters: readonly GroupingParameter[]): RunGroup[] {
  const shareOf = parameters.map(shares);
  const groups = new Map<string, { runs: string[]; shares: readonly Share[] }>();
  for (const run of runs) {
    const all = shareOf.map((share) => share(run));
    const key = all.map(({ text }) => text).join(", ");
    const group = groups.get(key);
    if (group) group.runs.push(run);
    else groups.set(key, { runs: [run], shares: all });
  }
  return [...groups]
    .sort(([, one], [, other]) => compareShares(one.shares, other.shares))
    .map(([key, { runs: members }]) => ({ key, runs: members }));
}

/** A group without the names of its parameters, such as "0.1, adam". */
export function groupValues(group: string, parameters: readonly string[]): string {
  return parameters.reduce((text, name) => text.replace(`${name} = `, ""), group);
}

function compareShares(some: readonly Share[], others: readonly Share[]): number {
  for (const [place, share] of some.entries()) {
    const order = compareShare(share, others[place]!);
    if (order !== 0) return order;
  }
  return 0;
}

function compareShare(one: Share, other: Share): number {
  if (one.isMissing !== other.isMissing) return Number(one.isMissing) - Number(other.isMissing);
  return one.low === other.low ? compareNames(one.text, other.text) : one.low - other.low;
}

function shares({ name, cells }: GroupingParameter): (run: string) => Share {
  const bins = binsOf([...cells.values()].filter((cell) => typeof cell === "number"));
  return (run) => {
    const cell = cells.get(run) ?? null;
    const bin = bins && typeof cell === "number" ? binOf(bins, cell) : undefined;
    if (!bin) return { text: `${name} = ${cell ?? "–"}`, low: Infinity, isMissing: cell === null };
    const range = bin.low === bin.high ? formatSetting(bin.low) : `${formatSetting(bin.low)} … ${formatSetting(bin.high)}`;
    return { text: `${name} = ${range}`, low: bin.low, isMissing: false };
  };
}
