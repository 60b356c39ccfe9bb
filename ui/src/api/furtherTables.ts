// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { json, type Json } from "./routes";

export type FurtherAnswer = Json<"/api/profiles/further", "get">;

export function fetchFurther(run: string, profile: string, table: string, signal: AbortSignal): Promise<FurtherAnswer> {
  return json(request(`/api/profiles/further?${new URLSearchParams({ run, profile, table })}`, { signal }));
}
