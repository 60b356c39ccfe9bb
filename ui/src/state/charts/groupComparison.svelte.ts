// SPDX-License-Identifier: Apache-2.0
import { parameterTable } from "../../core/lineage/parameterTable";
import { fetchGroups, type GroupQuery } from "../../api/expressions";
import { post, type Json } from "../../api/routes";
import type { Group } from "../../core/series/groupStatistics";
import type { RunFacts } from "../../core/runs/runTable";
import { together } from "../../core/runs/runTree";
import { groupValues, parameterGroups, type GroupingParameter } from "../../core/runs/parameterGroups";
import { DIRECTORY } from "../../core/view/compareView";
import { directoryOf, gather, type RunGroup } from "../../core/runs/runGroups";
import type { ResourceDefinition } from "../requests/resourceCache";
import { colors } from "../view/runColors.svelte";
import { batched } from "../requests/batched";
import { groupColors } from "../view/groupColors.svelte";
import { runs } from "../data/runs.svelte";
import { lineage } from "../data/lineage.svelte";
import { selection } from "../view/selection.svelte";
import { view } from "../view/view.svelte";

export type { Group, GroupQuery };
export type Statistics = Json<"/api/statistics", "post">;

const SEED = /(^|[._/-])(random_|manual_)?seed$/i;
const MOST_FACETS = 12;

/** How the shown runs are compared: their parameters, and the groups that these make. */
class Comparison {
  /** What the shown runs were set to; null until it is read. */
  table = $derived(lineage.table && parameterTable(lineage.table, selection.shown));

  /** Names of the parameters that one can group by, those that differ first. */
  parameters = $derived((this.table?.columns ?? []).map(({ name }) => name));

  /** Parameters that differ between the shown runs, without random seeds: their groups are runs that differ by the seed only. */
  allButSeed = $derived.by(() => {
    const differing = (this.table?.columns ?? []).filter(({ differs }) => differs).map(({ name }) => name);
    const rest = differing.filter((name) => !SEED.test(name));
    return rest.length < differing.length ? rest : [];
  });

  #grouping = $derived(view.comparing.parameters.map((name) => this.#parameter(name)));

  /** True while the parameters that define the groups are loading. */
  #isUnknown = $derived(view.comparing.grouping === "parameter" && this.table === null);

  /** Every value of the facet with its runs; null without facets, and while their parameter is loading. */
  allFacets = $derived.by<readonly RunGroup[] | null>(() => {
    const { facet } = view.comparing;
    if (facet === DIRECTORY) return directories(selection.shown);
    return facet === null || this.table === null ? null : parameterGroups(selection.shown, [this.#parameter(facet)]);
  });

  /** The facets that are charts: more of them than anybody looks through would be thousands of charts. */
  facets = $derived(this.allFacets?.slice(0, MOST_FACETS) ?? null);

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

  /** Whether the view needs the parameters of the runs. */
  needsParameters = $derived.by(() => {
    const { grouping, facet, isTable } = view.comparing;
    return isTable || grouping === "parameter" || (facet !== null && facet !== DIRECTORY);
  });

  colorOf(key: string): string {
    return this.isGrouped ? groupColors.of(key) : colors.of(key);
  }

  /** A short name of a group, for a chart: the page says the parameters. */
  labelOf(group: string): string {
    return groupValues(group, view.comparing.parameters);
  }

  /** Which of the lines of its color a group is, from 0; of a run where runs are not grouped. */
  repetitionOf(key: string): number {
    return this.isGrouped ? groupColors.repetitionOf(key) : colors.repetitionOf(key);
  }

  #parameter(name: string): GroupingParameter {
    const column = this.table?.columns.findIndex((one) => one.name === name) ?? -1;
    return { name, cells: new Map([...(this.table?.cells ?? [])].map(([run, cells]) => [run, cells[column] ?? null] as const)) };
  }

  #groupsOf(some: readonly string[]): RunGroup[] {
    const { grouping } = view.comparing;
    if (this.#isUnknown) return [];
    if (grouping === "none") return some.map((run) => ({ key: run, runs: [run] }));
    if (grouping === "directory") return directories(some);
    if (grouping === "ranks") return gather(some, (run) => runs.byId.get(run)?.rank_of ?? run, "");
    return parameterGroups(some, this.#grouping);
  }
}

function directories(some: readonly string[]): RunGroup[] {
  return gather(some, directoryOf, "").map((group) => ({ ...group, key: group.key === "" ? "/" : group.key }));
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
  read: ({ runs: some, tags }, signal) => post("/api/statistics", { runs: some, tags }, signal),
  runs: ({ runs: some }) => some,
};
