// SPDX-License-Identifier: Apache-2.0
import { fetchGroups, type GroupQuery } from "../api/derived";
import { fetchHparams, fetchStatistics, type Hparams, type Statistics } from "../api/tables";
import type { Group } from "../core/group";
import { directoryOf, gather, type RunGroup } from "../core/runGroups";
import { t } from "../i18n/i18n.svelte";
import { Asked } from "./asked.svelte";
import { colours, slotColour } from "./colours.svelte";
import { gathered } from "./gathered";
import { runs } from "./runs.svelte";
import { selection } from "./selection.svelte";
import { view } from "./view.svelte";

export type { Group, GroupQuery, Hparams, Statistics };

export const PARAMETER_ROLES: readonly string[] = ["parameter", "custom"];

/** How the shown runs are compared: their parameters, and the groups that these make. */
class Comparison {
  readonly hparams = new Asked<readonly string[], Hparams>(fetchHparams);

  /** Names of the parameters that one can group by, those that differ first. */
  parameters = $derived((this.hparams.answer?.columns ?? []).filter(({ role }) => PARAMETER_ROLES.includes(role)).map(({ name }) => name));

  #cells = $derived.by(() => {
    const { answer } = this.hparams;
    const column = answer?.columns.findIndex(({ name }) => name === view.comparing.parameter) ?? -1;
    return new Map(answer?.rows.map(({ run, cells }) => [run, cells[column] ?? null] as const));
  });

  /** Groups of the shown runs in their order; each run alone when they are not grouped. */
  groups = $derived.by<readonly RunGroup[]>(() => {
    const { grouping, parameter } = view.comparing;
    if (grouping === "none") return selection.shown.map((run) => ({ key: run, runs: [run] }));
    if (grouping === "directory") return gather(selection.shown, directoryOf, "").map((group) => ({ ...group, key: group.key === "" ? "/" : group.key }));
    if (grouping === "ranks") return gather(selection.shown, (run) => runs.byId.get(run)?.rank_of ?? run, "");
    const none = t("compare.without", { parameter });
    return gather(selection.shown, (run) => (this.#cells.has(run) ? `${parameter} = ${this.#cells.get(run)}` : null), none);
  });

  /** The group that the others are compared with; null without one, undefined for one that is not there. */
  baseline = $derived.by(() => {
    const { baseline } = view.comparing;
    return baseline === null ? null : this.groups.find(({ key }) => key === baseline);
  });

  #slots = $derived(new Map(this.groups.map(({ key }, index) => [key, index])));

  isGrouped = $derived(view.comparing.grouping !== "none");

  colourOf(key: string): string {
    return this.isGrouped ? slotColour(this.#slots.get(key) ?? 0) : colours.of(key);
  }
}

export const comparison = new Comparison();

/** The charts in sight ask for the same groups of other tags: in one request. */
const readGroups = gathered<GroupQuery, Group[]>({
  alike: ({ axis, x, range, pixels, log_origin, smoothing, baseline }) => JSON.stringify([axis, x, range, pixels, log_origin, smoothing, baseline]),
  most: 8,
  send: async (questions, signal) => {
    const answers = await fetchGroups({ ...questions[0]!, groups: questions.flatMap(({ groups }) => groups) }, signal);
    let next = 0;
    return questions.map(({ groups }) => answers.slice(next, (next += groups.length)));
  },
});

export function askGroups(): Asked<GroupQuery, Group[]> {
  return new Asked(readGroups);
}

export function askStatistics(): Asked<{ runs: readonly string[]; tags: readonly string[] }, Statistics> {
  return new Asked(({ runs, tags }, signal) => fetchStatistics(runs, tags, signal));
}

/** Parameters of some runs. */
export function askParameters(): Asked<readonly string[], Hparams> {
  return new Asked(fetchHparams);
}
