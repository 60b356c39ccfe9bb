// SPDX-License-Identifier: Apache-2.0
import { proposedTag, scalarColumn, tagOfColumn, tagPattern, tagsOfMetric, type TagCount } from "../../core/lineage/scalarColumns";
import { proposedMetric } from "../../core/lineage/tableColumns";
import { orderedBy } from "../../core/text/naturalSort";
import { annotations } from "../annotations/annotations.svelte";
import { lineage } from "../data/lineage.svelte";
import { runs } from "../data/runs.svelte";
import { scalarsOfAllRuns } from "../data/tags.svelte";
import { view } from "./view.svelte";

/** Statistics that people look for. */
const OFFERED = ["last", "min", "max"] as const;
/** The newest runs whose tags are offered. */
const MOST_RUNS = 1000;
/** Patterns and letters of one that the server takes. */
const [MOST_PATTERNS, MOST_LETTERS] = [50, 300];

const METRIC = "metric/";

/** Which scalars are columns of the table of all runs: the main metric, and those that the view names. */
class ScalarColumns {
  tags = $derived<readonly TagCount[]>(scalarsOfAllRuns.list.map(({ tag, runs: holders }) => ({ tag, count: holders.length })));
  /** Columns of every scalar with their number of runs; they are read as soon as the view names them. */
  offered = $derived(
    this.tags.flatMap(({ tag, count }) =>
      OFFERED.map((statistic) => ({ id: scalarColumn(tag, statistic), name: `${tag}:${statistic}`, count })),
    ),
  );
  #holders = $derived(new Map(scalarsOfAllRuns.list.map(({ tag, runs: holders }) => [tag, new Set(holders)])));
  #proposed = $derived(proposedTag(this.tags));

  /** Ids of columns to compare runs by, the best one first; some may not exist. */
  targets = $derived.by<readonly string[]>(() => {
    const metric = lineage.table && proposedMetric(lineage.table);
    const proposed = this.#proposed === null ? null : scalarColumn(this.#proposed, "last");
    return [view.lineage.target, rememberedTarget(), metric, proposed].filter((id) => id !== null);
  });

  /** Patterns of tags for the server; null until the tags are read. */
  patterns = $derived.by<readonly string[] | null>(() => {
    if (!scalarsOfAllRuns.isLoaded && scalarsOfAllRuns.problem === null) return null;
    return this.patternsWith(view.list.where);
  });

  #named = $derived.by<readonly string[]>(() => {
    const { target, color, x, y, size, axes } = view.lineage;
    const { added, sort } = view.table;
    const ids = [target, color, x, y, size, ...(axes ?? []).map(({ column }) => column), ...view.list.brushes.keys()];
    const tags = [...ids, ...added, ...sort.map(({ column }) => column)].map((id) => (id === null ? null : tagOfColumn(id)));
    const main = this.targets.map((id) => this.tagOf(id));
    return [...tags, ...main, this.#proposed].filter((tag) => tag !== null);
  });

  /** The patterns for an expression, which may name further scalars. */
  patternsWith(where: string): readonly string[] {
    const inText = where.includes(":") ? this.tags.filter(({ tag }) => where.includes(`${tag}:`)).map(({ tag }) => tag) : [];
    const patterns = [...this.#named, ...inText].map(tagPattern).filter(({ length }) => length <= MOST_LETTERS);
    return [...new Set([...view.lineage.scalars, ...patterns])].slice(0, MOST_PATTERNS);
  }

  /** The tag of a column: of a statistic, or of a metric with the name of a tag; null without one. */
  tagOf(id: string): string | null {
    const tag = tagOfColumn(id) ?? (id.startsWith(METRIC) ? id.slice(METRIC.length) : null);
    return tag !== null && this.#holders.has(tag) ? tag : null;
  }

  /** The tags of a column's curves, the first that a run has is its own: runs may name one metric differently. */
  curveTagsOf(id: string): readonly string[] {
    const tag = tagOfColumn(id);
    const metric = id.startsWith(METRIC) ? id.slice(METRIC.length) : "";
    return tag === null ? tagsOfMetric(metric, [...this.#holders.keys()]) : this.#holders.has(tag) ? [tag] : [];
  }

  isHeld(tag: string, run: string): boolean {
    return this.#holders.get(tag)?.has(run) ?? false;
  }

  /** Requests the tags; call it in an effect. */
  request(): void {
    if (!runs.isLoaded) return;
    const newest = new Set(orderedBy(runs.list, (run) => run.last_wall_time, true).slice(0, MOST_RUNS));
    scalarsOfAllRuns.request(runs.list.filter((run) => newest.has(run)).map(({ id }) => id));
  }
}

/** The target that was chosen last for this base directory. */
function rememberedTarget(): string | null {
  return [...annotations.targets].find(([, { is_chosen }]) => is_chosen)?.[0] ?? null;
}

export const scalarColumns = new ScalarColumns();
