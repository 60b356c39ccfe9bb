// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { message } from "../../api/decode";
import { post, type Json } from "../../api/routes";
import type { Message, Schemas } from "../../core/messages/message";
import type { ResourceDefinition } from "../requests/resourceCache";

export type GraphFiguresQuery = Schemas["GraphFiguresQuery"];
export type GraphFiguresAnswer = Message<"GraphFiguresHeader">;
type GraphItemsQuery = Schemas["GraphItemsQuery"];
type GraphItems = Json<"/api/debugger/graph/items", "post">["items"];
type GraphTensorsQuery = Schemas["GraphTensorsQuery"];
type GraphTensors = Json<"/api/debugger/graph/tensors", "post">;

const VALUE_BYTES = 13;

/** Figures of the tensors of a graph with the query, so that a reader knows whose they are. */
export const graphFigures: ResourceDefinition<GraphFiguresQuery, { query: GraphFiguresQuery; figures: GraphFiguresAnswer }> = {
  kind: "graph_figures",
  read: async (query, signal) => ({
    query,
    figures: await message<"GraphFiguresHeader">(request("/api/debugger/graph/figures", { body: query, signal })),
  }),
  runs: ({ run }) => [run],
  bytes: ({ figures }) => VALUE_BYTES * figures.value.length,
};

export const graphItems: ResourceDefinition<GraphItemsQuery, { query: GraphItemsQuery; items: GraphItems }> = {
  kind: "graph_items",
  read: async (query, signal) => ({ query, items: (await post("/api/debugger/graph/items", query, signal)).items }),
  runs: ({ run }) => [run],
};

export const graphTensors: ResourceDefinition<GraphTensorsQuery, { query: GraphTensorsQuery; tensors: GraphTensors }> = {
  kind: "graph_tensors",
  read: async (query, signal) => ({ query, tensors: await post("/api/debugger/graph/tensors", query, signal) }),
  runs: ({ run }) => [run],
};
