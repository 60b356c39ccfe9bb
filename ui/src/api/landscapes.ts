// SPDX-License-Identifier: Apache-2.0
import { checkAscending, offPlaneShares, type Landscape, type LandscapePath } from "../core/landscapes/landscape";
import type { Message } from "../core/messages/message";
import { request } from "./client";
import { decode } from "./decode";
import type { Json } from "./routes";

export type LandscapeList = Json<"/api/landscapes", "post">;
export type LandscapeEntry = LandscapeList["landscapes"][number];
export type LandscapeRun = LandscapeList["runs"][number];

/** One landscape; `id` changes with its content. */
export interface LandscapeId {
  run: string;
  tag: string;
  id: string;
}

export async function fetchLandscape({ run, tag, id }: LandscapeId, signal: AbortSignal): Promise<Landscape> {
  return decodeLandscape(await (await request("/api/landscapes/data", { query: { run, tag, id }, signal })).arrayBuffer());
}

/** Raises RangeError or SyntaxError for bytes that are no landscape, or one whose coordinates do not ascend. */
export function decodeLandscape(buffer: ArrayBuffer): Landscape {
  const { columns, interval, convergence, ...header } = decode<"LandscapeHeader">(buffer);
  const { x, y, losses, evaluated } = columns;
  checkAscending(x, "x");
  checkAscending(y, "y");
  return {
    ...header,
    x,
    y,
    losses,
    evaluated: evaluated.length > 0 ? evaluated : null,
    path: columns.path_x.length > 0 ? pathOf(interval, columns) : null,
    convergence: convergence && { x: convergence[0], y: convergence[1], loss: convergence[2] },
  };
}

function pathOf(interval: readonly number[], columns: Message<"LandscapeColumns">): LandscapePath {
  const { path_x: x, path_y: y, path_losses: loss, path_distances: distances, path_lengths: lengths } = columns;
  const hasDistances = distances.length === x.length;
  return {
    steps: interval.length === x.length ? interval : Array.from(x, (_, index) => index + 1),
    x,
    y,
    loss,
    distances: hasDistances ? distances : null,
    offPlane: hasDistances && lengths.length === x.length ? offPlaneShares(distances, lengths) : null,
  };
}
