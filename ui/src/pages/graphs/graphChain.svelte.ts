// SPDX-License-Identifier: Apache-2.0
import { untrack } from "svelte";

import { graphItems } from "../../state/data/debuggerGraph";
import { debugFirstBad, type DebugFirstBad } from "../../state/data/debugger";
import type { GraphKey } from "../../state/data/graphs";
import { createResource } from "../../state/requests/resource.svelte";
import type { GraphStage } from "./graphStage.svelte";
import type { GraphTensors } from "./graphTensors.svelte";

/** The operators from the first bad one to the damage, on a graph. */
export interface GraphChain {
  /** Null until it is found, and without a bad number. */
  readonly found: DebugFirstBad | null;
  /** The whole training was searched. */
  readonly isOver: boolean;
  /** Items in the order of the chain; null until they are known. */
  readonly items: readonly number[] | null;
  /** The item of the first bad operator; -1 where the graph does not have it. */
  readonly first: number;
}

interface Inputs {
  stage: () => GraphStage | null;
  graph: () => GraphKey | null;
  tensors: GraphTensors;
  isWanted: () => boolean;
}

const MOST_OPERATORS = 5000;

/** Call it while a component is set up. */
export function createGraphChain({ stage, graph, tensors, isWanted }: Inputs): GraphChain {
  const of = $derived(isWanted() && tensors.of ? { run: tensors.of.run, source: tensors.of.source } : null);
  const search = createResource(debugFirstBad, () => of);
  const answer = $derived(of ? search.value : null);
  const found = $derived(answer?.found ?? null);
  const query = $derived.by(() => {
    const key = graph();
    if (!of || !key || !found) return null;
    const rows = found.chain.slice(0, MOST_OPERATORS).map(({ row }) => row);
    return { ...of, graph: key.graph, rank: found.rank, step: found.step, rows };
  });
  const source = createResource(graphItems, () => query);
  const isOfGraph = $derived(query !== null && source.value?.query.graph === query.graph && source.value.query.run === query.run);
  const perOperator = $derived(isOfGraph ? (source.value?.items ?? null) : null);
  /** The last item of an operator is a node where it has one. */
  const items = $derived(perOperator && [...new Set(perOperator.flatMap((each) => each.slice(-1)))]);

  const hasPicture = $derived(stage()?.picture != null);

  $effect(() => {
    const [current, chain] = [stage(), items];
    if (current && hasPicture && chain) untrack(() => void current.showChain(chain));
  });

  return {
    get found() {
      return found;
    },
    get isOver() {
      return answer?.is_complete ?? false;
    },
    get items() {
      return items;
    },
    get first() {
      return perOperator?.[0]?.at(-1) ?? -1;
    },
  };
}
