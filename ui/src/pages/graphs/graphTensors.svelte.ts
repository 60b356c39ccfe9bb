// SPDX-License-Identifier: Apache-2.0
import { DEBUG_DATA } from "../../core/debugger/debugData";
import { rowOfStep, sampledSteps, withStacks } from "../../core/graphs/model/overlay";
import {
  FIGURE_OF_OVERLAY,
  isShareOverlay,
  isTensorOverlay,
  rangeOfFigures,
  TENSOR_OVERLAYS,
  valuesOfItems,
  type OverlayPhase,
  type TensorOverlay,
} from "../../core/graphs/model/tensorOverlay";
import { foldedStacks } from "../../core/graphs/view/foldedStacks";
import type { GraphColor } from "../../core/view/graphView";
import { graphFigures, type GraphFiguresAnswer, type GraphFiguresQuery } from "../../state/data/debuggerGraph";
import { debugSources, debugSteps, type DebugSource, type OfSource } from "../../state/data/debugger";
import type { GraphKey } from "../../state/data/graphs";
import { runs } from "../../state/data/runs.svelte";
import { createResource } from "../../state/requests/resource.svelte";
import { view } from "../../state/view/view.svelte";
import { hasData } from "../frame/route";
import type { GraphOverlay } from "./graphOverlay.svelte";
import type { GraphStage } from "./graphStage.svelte";

/** Debugging data of the run of a graph, at one step. */
export interface GraphTensors extends GraphOverlay {
  readonly available: readonly TensorOverlay[];
  readonly chosen: TensorOverlay | null;
  /** Null for a run without debugging data. */
  readonly source: DebugSource | null;
  readonly of: OfSource | null;
  /** How many tensors of the overlay there are and belong to the graph; null until it is known. */
  readonly coverage: Pick<GraphFiguresAnswer, "tensors" | "placed"> | null;
  /** Phases between which a person can choose; none where each node of the graph runs in one. */
  readonly phases: readonly OverlayPhase[];
}

interface Inputs {
  stage: () => GraphStage | null;
  graph: () => GraphKey | null;
  color: () => GraphColor;
  step: () => number | null;
  phase: () => OverlayPhase;
}

const SHARES = [0, 1] as const;

/** Call it while a component is set up. */
export function createGraphTensors({ stage, graph, color, step, phase }: Inputs): GraphTensors {
  const run = $derived(stage()?.picture ? (graph()?.run ?? null) : null);
  const facts = $derived(run === null ? undefined : runs.byId.get(run));
  const list = createResource(debugSources, () => (run !== null && facts && hasData(DEBUG_DATA, facts) ? { runs: [run] } : null));
  const source = $derived.by(() => {
    const sources = run === null ? [] : (list.value?.sources.filter((each) => each.run === run) ?? []);
    const { chosen } = view.debug;
    return sources.find((each) => each.run === chosen?.run && each.source === chosen.source) ?? sources[0] ?? null;
  });
  const rank = $derived(source?.ranks.find((each) => each.rank === view.debug.rank) ?? source?.ranks[0]);
  const of = $derived.by((): OfSource | null => (source && rank ? { run: source.run, source: source.source, rank: rank.rank } : null));
  const available = $derived(TENSOR_OVERLAYS.filter((overlay) => source?.figures.includes(FIGURE_OF_OVERLAY[overlay].figure)));
  const chosen = $derived.by(() => {
    const wanted = color();
    return isTensorOverlay(wanted) ? wanted : null;
  });
  const stepList = createResource(debugSteps, () => of);
  const steps = $derived(Float64Array.from(of && stepList.value ? stepList.value.steps : []));
  const row = $derived(rowOfStep(steps, step()));
  const query = $derived.by((): Omit<GraphFiguresQuery, "steps"> | null => {
    const key = graph();
    return of && key && chosen && row >= 0 ? { ...of, graph: key.graph, ...FIGURE_OF_OVERLAY[chosen], phase: phase() } : null;
  });
  const shown = createResource(graphFigures, () => query && { ...query, steps: [steps[row]!] });
  const isShare = $derived(chosen !== null && isShareOverlay(chosen));
  const sample = createResource(graphFigures, () => (query && shown.value && !isShare ? { ...query, steps: sampledSteps(steps) } : null));
  const figures = $derived(query && shown.value && isOf(shown.value.query, query) ? shown.value.figures : null);
  const values = $derived.by(() => {
    const current = stage();
    if (!current?.picture || !figures) return null;
    return withStacks(valuesOfItems(current.tree, figures, 0), foldedStacks(current.picture), false);
  });
  const range = $derived.by(() => {
    if (chosen === "outputs_non_finite") return null; // each value above 0 has the color of NaN
    if (isShare) return SHARES;
    const own = figures && rangeOfFigures(figures);
    const all = query && sample.value && isOf(sample.value.query, query) ? rangeOfFigures(sample.value.figures) : null;
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
      return list.isLoading || stepList.isLoading || shown.isLoading;
    },
    get problem() {
      return list.problem ?? stepList.problem ?? shown.problem;
    },
    get values() {
      return values;
    },
    get range() {
      return range;
    },
    get source() {
      return source;
    },
    get of() {
      return of;
    },
    get coverage() {
      return figures;
    },
    get phases() {
      const found = figures?.phases.filter((each) => each !== "optimizer") ?? [];
      return chosen?.startsWith("outputs") && found.length > 1 ? found : [];
    },
    retry: () => {
      list.retry();
      stepList.retry();
      shown.retry();
    },
  };
}

/** Whether figures are those of a query, at any step. */
function isOf(answered: GraphFiguresQuery, query: Omit<GraphFiguresQuery, "steps">): boolean {
  return (["run", "source", "rank", "graph", "role", "phase", "figure"] as const).every((name) => answered[name] === query[name]);
}
