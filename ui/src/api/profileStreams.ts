// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { json, type Json } from "./routes";

export type StreamsAnswer = Json<"/api/profiles/streams", "get">;

export function fetchStreams(run: string, profile: string, kernelWait: number, signal: AbortSignal): Promise<StreamsAnswer> {
  const query = new URLSearchParams({ run, profile, kernel_wait_us: String(kernelWait) });
  return json(request(`/api/profiles/streams?${query}`, { signal }));
}
