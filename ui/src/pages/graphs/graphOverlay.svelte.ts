// SPDX-License-Identifier: Apache-2.0
import { buildAdjacency } from "../../core/graphs/model/adjacency";
import {
  isOverlay,
  OverlayItems,
  overlaySources,
  OVERLAYS,
  rowOfStep,
  sampledSteps,
  withStacks,
  type ItemValues,
  type RecordedTags,
} from "../../core/graphs/model/overlay";
import type { AnyOverlay } from "../../core/graphs/model/tensorOverlay";
import { WeightNames } from "../../core/graphs/model/weightNames";
import { foldedStacks } from "../../core/graphs/view/foldedStacks";
import type { GraphColor } from "../../core/view/graphView";
import { seriesNorms } from "../../state/data/norms";
import { tagNames } from "../../state/data/values.svelte";
import type { Problem } from "../../state/requests/problem";
import { createResource } from "../../state/requests/resource.svelte";
import type { GraphStage } from "./graphStage.svelte";

/** What a run recorded of the weights or tensors of a graph, at one step. */
export interface GraphOverlay {
  /** Overlays for which the run has data. */
  readonly available: readonly AnyOverlay[];
  /** Null while no overlay is chosen. */
  readonly chosen: AnyOverlay | null;
  readonly steps: Float64Array;
  /** Row of the shown step; -1 without steps. */
  readonly row: number;
  readonly isLoading: boolean;
  readonly problem: Problem | null;
  /** Null until they arrive. */
  readonly values: ItemValues | null;
  /** Over all steps; of the shown one until that is known. */
  readonly range: readonly [number, number] | null;
  retry: () => void;
}

interface Inputs {
  stage: () => GraphStage | null;
  run: () => string;
  color: () => GraphColor;
  step: () => number | null;
}

const NO_STEPS = new Float64Array(0);

/** Call it while a component is set up. */
export function createGraphOverlay({ stage, run, color, step }: Inputs): GraphOverlay {
  /** Tags are read after the first picture. */
  const taggedRun = $derived(stage()?.picture ? run() : null);
  const tags = {
    scalar: createResource(tagNames("scalar"), () => taggedRun),
    histogram: createResource(tagNames("histogram"), () => taggedRun),
    tensor: createResource(tagNames("tensor"), () => taggedRun),
  };
  const known = $derived.by((): RecordedTags => {
    const of = (kind: keyof typeof tags): readonly string[] => (tags[kind].value?.run === run() ? tags[kind].value.tags : []);
    return { scalar: of("scalar"), histogram: of("histogram"), tensor: of("tensor") };
  });
  const structure = $derived(stage()?.structure ?? null);
  const names = $derived(structure && new WeightNames(structure));
  const available = $derived(names ? OVERLAYS.filter((overlay) => overlaySources(names, known, overlay).length > 0) : []);
  const chosen = $derived.by(() => {
    const wanted = color();
    return isOverlay(wanted) ? wanted : null;
  });
  const sources = $derived(names && chosen ? overlaySources(names, known, chosen) : []);
  const items = $derived.by(() => {
    const current = stage();
    return current && sources.length > 0 ? new OverlayItems(current.tree, buildAdjacency(current.structure), sources) : null;
  });
  const query = $derived(
    items && { run: run(), series: sources.map(({ kind, tag }) => ({ kind, tag })), steps: [] as readonly number[], wantsSteps: false },
  );
  const recorded = createResource(seriesNorms, () => query && { ...query, wantsSteps: true });
  const steps = $derived(query && recorded.value && isOf(recorded.value.query, query) ? recorded.value.norms.recorded : NO_STEPS);
  const row = $derived(rowOfStep(steps, step()));
  const shown = createResource(seriesNorms, () => (query && row >= 0 ? { ...query, steps: [steps[row]!] } : null));
  const sample = createResource(seriesNorms, () => (query && row >= 0 && shown.value ? { ...query, steps: sampledSteps(steps) } : null));
  const stacks = $derived.by(() => {
    const picture = stage()?.picture;
    return chosen && picture ? foldedStacks(picture) : new Map<number, number[]>();
  });
  const ofItems = $derived(
    items && chosen && query && shown.value && isOf(shown.value.query, query) ? items.at(shown.value.norms, 0, chosen) : null,
  );
  const values = $derived(ofItems && chosen && withStacks(ofItems, stacks, chosen.endsWith("norm")));
  const range = $derived.by(() => {
    if (!items || !chosen || !query || !shown.value || !isOf(shown.value.query, query)) return null;
    const own = items.range(shown.value.norms, chosen);
    const all = sample.value && isOf(sample.value.query, query) ? items.range(sample.value.norms, chosen) : null;
    return own && all ? ([Math.min(own[0], all[0]), Math.max(own[1], all[1])] as const) : (own ?? all);
  });
  return {
    get available() {
      return available;
    },
    get chosen() {
      return chosen;
    },
    get steps() {
      return steps;
    },
    get row() {
      return row;
    },
    get isLoading() {
      return recorded.isLoading || shown.isLoading;
    },
    get problem() {
      return recorded.problem ?? shown.problem;
    },
    get values() {
      return values;
    },
    get range() {
      return range;
    },
    retry: () => {
      recorded.retry();
      shown.retry();
    },
  };
}

/** Whether an answer is about the series of a query. */
function isOf(answered: { run: string; series: readonly { tag: string }[] }, query: typeof answered): boolean {
  return (
    answered.run === query.run &&
    answered.series.length === query.series.length &&
    answered.series.every(({ tag }, index) => tag === query.series[index]!.tag)
  );
}
