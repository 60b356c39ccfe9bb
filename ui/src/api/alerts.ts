// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { json, type Json } from "./routes";

export type AlertList = Json<"/api/alerts", "get">;
export type Alert = NonNullable<AlertList["alerts"]>[number];

/** All alerts; `alerts` is null when nothing changed since the version that one has. */
export function fetchAlerts(since: number | null): Promise<AlertList> {
  return json(request(since === null ? "/api/alerts" : `/api/alerts?${new URLSearchParams({ since: String(since) })}`));
}
