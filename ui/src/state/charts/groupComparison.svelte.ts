// SPDX-License-Identifier: Apache-2.0
import { parameterTable } from "../../core/lineage/parameterTable";
import { fetchGroups, type GroupQuery } from "../../api/expressions";
import { fetchStatistics, type Statistics } from "../../api/tables";
import type { Group } from "../../core/series/groupStatistics";
import type { RunFacts } from "../../core/runs/runTable";
import { together } from "../../core/runs/runTree";
import { parameterGroups } from "../../core/runs/parameterGroups";
import { directoryOf, gather, type RunGroup } from "../../core/runs/runGroups";
import type { ResourceDefinition } from "../requests/resourceCache";
import type { Dash } from "../../core/series/dashes";
import { colors } from "../view/runColors.svelte";
import { batched } from "../requests/batched";
import { groupColors } from "../view/groupColors.svelte";
import { runs } from "../data/runs.svelte";
import { lineage } from "../data/lineage.svelte";
import { selection } from "../view/selection.svelte";
import { view } from "../view/view.svelte";

export type { Group, GroupQuery, Statistics };

/** How the shown runs are compared: their parameters, and the groups that these make. */
class Comparison {
  /** What the shown runs were set to; null until it is read. */
  table = $derived(lineage.table && parameterTable(lineage.table, selection.shown));

  /** Names of the parameters that one can group by, those that differ first. */
  parameters = $derived((this.table?.columns ?? []).map(({ name }) => name));

  #grouping = $derived(
    view.comparing.parameters.map((name) => {
      const column = this.table?.columns.findIndex((each) => each.name === name) ?? -1;
      return { name, cells: new Map([...(this.table?.cells ?? [])].map(([run, cells]) => [run, cells[column] ?? null] as const)) };
    }),
  );

  /** True while the parameters that define the groups are loading. */
  #isUnknown = $derived(view.comparing.grouping === "parameter" && this.table === null);

  /** Groups of the shown runs in their order; each run alone when they are not grouped. */
  groups = $derived(this.#groupsOf(selection.shown));

  /** The facts of the runs of each group together. */
  groupFacts = $derived<ReadonlyMap<string, RunFacts>>(
    new Map(
      this.groups.map((group) => [
        group.key,
        together(
          group.key,
          group.runs.flatMap((run) => runs.byId.get(run) ?? []),
        ),
      ]),
    ),
  );

  /** The group of each shown run. */
  groupOf = $derived(new Map(this.groups.flatMap(({ key, runs: members }) => members.map((run) => [run, key] as const))));

  /** The groups of all runs, as far as their parameters are known: which runs are shown must not change how a group looks. */
  allGroups = $derived(this.#groupsOf(view.comparing.grouping === "parameter" ? selection.shown : runs.ids).map(({ key }) => key));

  /** The group that the others are compared with; null without one, undefined for one that is not there. */
  baseline = $derived.by(() => {
    const { baseline } = view.comparing;
    return baseline === null || this.#isUnknown ? null : this.groups.find(({ key }) => key === baseline);
  });

  isGrouped = $derived(view.comparing.grouping !== "none");

  colorOf(key: string): string {
    return this.isGrouped ? groupColors.of(key) : colors.of(key);
  }

  dashOf(key: string): Dash {
    return this.isGrouped ? groupColors.dashOf(key) : colors.dashOf(key);
  }

  #groupsOf(some: readonly string[]): RunGroup[] {
    const { grouping } = view.comparing;
    if (this.#isUnknown) return [];
    if (grouping === "none") return some.map((run) => ({ key: run, runs: [run] }));
    if (grouping === "directory")
      return gather(some, directoryOf, "").map((group) => ({ ...group, key: group.key === "" ? "/" : group.key }));
    if (grouping === "ranks") return gather(some, (run) => runs.byId.get(run)?.rank_of ?? run, "");
    return parameterGroups(some, this.#grouping);
  }
}

export const comparison = new Comparison();

/** Visible charts request the same groups of other tags in one request. */
const readGroups = batched<GroupQuery, Group[]>({
  alike: ({ axis, x, range, pixels, log_origin, smoothing, baseline }) =>
    JSON.stringify([axis, x, range, pixels, log_origin, smoothing, baseline]),
  most: 8,
  send: async (questions, signal) => {
    const answers = await fetchGroups({ ...questions[0]!, groups: questions.flatMap(({ groups }) => groups) }, signal);
    let next = 0;
    return questions.map(({ groups }) => answers.slice(next, (next += groups.length)));
  },
});

export const groupCurves: ResourceDefinition<GroupQuery, Group[]> = {
  kind: "group curves",
  read: readGroups,
  runs: ({ groups, baseline }) => [...groups.flatMap((group) => group.runs), ...(baseline?.runs ?? [])],
};

export const seriesStatistics: ResourceDefinition<{ runs: readonly string[]; tags: readonly string[] }, Statistics> = {
  kind: "series statistics",
  read: ({ runs: some, tags }, signal) => fetchStatistics(some, tags, signal),
  runs: ({ runs: some }) => some,
};
