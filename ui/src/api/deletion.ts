// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { json, type Json } from "./routes";

export type Deletion = Json<"/api/runs/deletion", "get">;

/** What deleting a run would delete, with the token that confirms it. */
export function fetchDeletion(run: string): Promise<Deletion> {
  return json(request(`/api/runs/deletion?${new URLSearchParams({ run })}`));
}

export async function sendDeletion(run: string, token: string): Promise<void> {
  await request(`/api/runs/files?${new URLSearchParams({ run, token })}`, { method: "DELETE" });
}
