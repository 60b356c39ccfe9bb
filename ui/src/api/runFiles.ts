// SPDX-License-Identifier: Apache-2.0
import type { RunMove } from "../core/runs/movedRuns";
import { request } from "./client";
import { json, type Json } from "./routes";

export type Deletion = Json<"/api/runs/deletion", "post">;

/** What deleting runs would delete, with the token that confirms it. */
export function fetchDeletion(runs: readonly string[]): Promise<Deletion> {
  return json(request("/api/runs/deletion", { body: { runs } }));
}

export async function sendDeletion(runs: readonly string[], token: string): Promise<void> {
  await request("/api/runs/delete", { body: { runs, token } });
}

/** Moves all of these directories or none. Returns the new names of all runs in them by the old ones. */
export async function sendMoves(moves: readonly RunMove[]): Promise<ReadonlyMap<string, string>> {
  const moved: Json<"/api/runs/move", "post"> = await json(request("/api/runs/move", { body: { moves } }));
  return new Map(Object.entries(moved.runs));
}
