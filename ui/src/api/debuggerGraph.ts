// SPDX-License-Identifier: Apache-2.0
import type { Message, Schemas } from "../core/messages/message";
import { request } from "./client";
import { message } from "./decode";
import { json, type Json } from "./routes";

export type GraphFiguresQuery = Schemas["GraphFiguresQuery"];
export type GraphFiguresAnswer = Message<"GraphFiguresHeader">;
export type GraphItemsQuery = Schemas["GraphItemsQuery"];
export type GraphItems = Json<"/api/debugger/graph/items", "post">;
export type GraphTensorsQuery = Schemas["GraphTensorsQuery"];
export type GraphTensors = Json<"/api/debugger/graph/tensors", "post">;

export function fetchGraphFigures(query: GraphFiguresQuery, signal: AbortSignal): Promise<GraphFiguresAnswer> {
  return message<"GraphFiguresHeader">(request("/api/debugger/graph/figures", { body: query, signal }));
}

export function fetchGraphItems(query: GraphItemsQuery, signal: AbortSignal): Promise<GraphItems> {
  return json(request("/api/debugger/graph/items", { body: query, signal }));
}

export function fetchGraphTensors(query: GraphTensorsQuery, signal: AbortSignal): Promise<GraphTensors> {
  return json(request("/api/debugger/graph/tensors", { body: query, signal }));
}
