// SPDX-License-Identifier: Apache-2.0
import {
  fetchGraphFigures,
  fetchGraphItems,
  fetchGraphTensors,
  type GraphFiguresAnswer,
  type GraphFiguresQuery,
  type GraphItems,
  type GraphItemsQuery,
  type GraphTensors,
  type GraphTensorsQuery,
} from "../../api/debuggerGraph";
import type { ResourceDefinition } from "../requests/resourceCache";

export type { GraphFiguresAnswer, GraphFiguresQuery } from "../../api/debuggerGraph";

const VALUE_BYTES = 13;

/** Figures of the tensors of a graph with the query, so that a reader knows whose they are. */
export const graphFigures: ResourceDefinition<GraphFiguresQuery, { query: GraphFiguresQuery; figures: GraphFiguresAnswer }> = {
  kind: "graph_figures",
  read: async (query, signal) => ({ query, figures: await fetchGraphFigures(query, signal) }),
  runs: ({ run }) => [run],
  bytes: ({ figures }) => VALUE_BYTES * figures.value.length,
};

export const graphItems: ResourceDefinition<GraphItemsQuery, { query: GraphItemsQuery; items: GraphItems["items"] }> = {
  kind: "graph_items",
  read: async (query, signal) => ({ query, items: (await fetchGraphItems(query, signal)).items }),
  runs: ({ run }) => [run],
};

export const graphTensors: ResourceDefinition<GraphTensorsQuery, { query: GraphTensorsQuery; tensors: GraphTensors }> = {
  kind: "graph_tensors",
  read: async (query, signal) => ({ query, tensors: await fetchGraphTensors(query, signal) }),
  runs: ({ run }) => [run],
};
