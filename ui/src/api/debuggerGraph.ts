// SPDX-License-Identifier: Apache-2.0
import type { GraphFigures } from "../core/graphs/model/tensorOverlay";
import { request } from "./client";
import { float64, readHeader } from "./columns";
import { json, type Json } from "./routes";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type GraphFiguresQuery = Schemas["GraphFiguresQuery"];
export type GraphFiguresAnswer = Omit<Schemas["GraphFiguresHeader"], "item" | "value" | "bits"> & GraphFigures;
export type GraphItemsQuery = Schemas["GraphItemsQuery"];
export type GraphItems = Json<"/api/debugger/graph/items", "post">;
export type GraphTensorsQuery = Schemas["GraphTensorsQuery"];
export type GraphTensors = Json<"/api/debugger/graph/tensors", "post">;

export async function fetchGraphFigures(query: GraphFiguresQuery, signal: AbortSignal): Promise<GraphFiguresAnswer> {
  const response = await request("/api/debugger/graph/figures", { body: query, signal });
  return decodeGraphFigures(await response.arrayBuffer());
}

/** Raises RangeError or SyntaxError for bytes that are no figures. */
export function decodeGraphFigures(buffer: ArrayBuffer): GraphFiguresAnswer {
  const { header, start } = readHeader<Schemas["GraphFiguresHeader"]>(buffer);
  const { item, value, bits } = header;
  return {
    ...header,
    item: new Int32Array(buffer, start + item.offset, item.length),
    value: float64(buffer, start, value),
    bits: new Uint8Array(buffer, start + bits.offset, bits.length),
  };
}

export function fetchGraphItems(query: GraphItemsQuery, signal: AbortSignal): Promise<GraphItems> {
  return json(request("/api/debugger/graph/items", { body: query, signal }));
}

export function fetchGraphTensors(query: GraphTensorsQuery, signal: AbortSignal): Promise<GraphTensors> {
  return json(request("/api/debugger/graph/tensors", { body: query, signal }));
}
