// SPDX-License-Identifier: Apache-2.0
import { checkAscending, offPlaneShares, type Landscape, type LandscapeFacts, type LandscapePath } from "../core/landscapes/landscape";
import { request } from "./client";
import { float64, readHeader } from "./columns";
import { json, type Json } from "./routes";
import type { components } from "./schema";

export type LandscapeList = Json<"/api/landscapes", "post">;
export type LandscapeEntry = LandscapeList["landscapes"][number];
export type LandscapeRun = LandscapeList["runs"][number];

/** One landscape; `id` changes with its content. */
export interface LandscapeId {
  run: string;
  tag: string;
  id: string;
}

type Header = components["schemas"]["LandscapeHeader"];

export function fetchLandscapes(runs: readonly string[], signal: AbortSignal): Promise<LandscapeList> {
  return json(request("/api/landscapes", { body: { runs }, signal }));
}

export async function fetchLandscape({ run, tag, id }: LandscapeId, signal: AbortSignal): Promise<Landscape> {
  const response = await request(`/api/landscapes/data?${new URLSearchParams({ run, tag, id })}`, { signal });
  return decodeLandscape(await response.arrayBuffer());
}

/** Raises RangeError or SyntaxError for bytes that are no landscape, or one whose coordinates do not ascend. */
export function decodeLandscape(buffer: ArrayBuffer): Landscape {
  const { header, start } = readHeader<Header>(buffer);
  const { columns, facts, convergence } = header;
  const read = (name: keyof Header["columns"]): Float64Array => float64(buffer, start, columns[name]);
  const evaluated = new Uint8Array(buffer, start + columns.evaluated.offset, columns.evaluated.length);
  const [x, y] = [read("x"), read("y")];
  checkAscending(x, "x");
  checkAscending(y, "y");
  return {
    run: header.run,
    tag: header.tag,
    id: header.id,
    unit: header.unit,
    stepsPerEpoch: header.step_per_epoch,
    decomposition: header.decomposition,
    x,
    y,
    losses: read("losses"),
    evaluated: evaluated.length > 0 ? evaluated : null,
    path: columns.path_x.length > 0 ? pathOf(header.interval, read) : null,
    convergence: convergence && { x: convergence[0], y: convergence[1], loss: convergence[2] },
    facts: facts && factsOf(facts),
  };
}

function pathOf(interval: readonly number[], read: (name: keyof Header["columns"]) => Float64Array): LandscapePath {
  const [x, y, loss] = [read("path_x"), read("path_y"), read("path_losses")];
  const [distances, lengths] = [read("path_distances"), read("path_lengths")];
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

function factsOf(facts: NonNullable<Header["facts"]>): LandscapeFacts {
  return {
    method: facts.method,
    planeId: facts.plane_id,
    degenerate: facts.degenerate,
    failure: facts.failure,
    explainedVariance: facts.explained_variance,
    normalization: facts.normalization,
    samples: facts.num_samples,
    seed: facts.seed,
    evaluation: facts.evaluation,
    dtype: facts.dtype,
    dtypeError: facts.dtype_error,
    seconds: facts.seconds,
    pointsDone: facts.points_done,
    pointsTotal: facts.points_total,
    secondsLeft: facts.seconds_left,
  };
}
