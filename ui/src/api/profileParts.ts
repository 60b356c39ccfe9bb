// SPDX-License-Identifier: Apache-2.0
/** Memory, steps and data pipeline of a profile. */
import type { Message } from "../core/messages/message";
import type { ProfileKey } from "../core/view/profileView";
import { request } from "./client";
import { message } from "./decode";
import type { OfTimeline } from "./profiles";
import { json, type Json } from "./routes";
import type { components } from "../core/messages/schema";

export type MemoryAnswer = Json<"/api/profiles/memory", "get">;
export type MemoryFacts = NonNullable<MemoryAnswer["memory"]>;
export type BlocksAnswer = Json<"/api/profiles/memory/blocks", "post">;
export type BlockAnswer = Json<"/api/profiles/memory/block", "get">;
export type StepCommunication = Json<"/api/profiles/steps/communication", "get">;
export type MemoryWindowQuery = components["schemas"]["MemoryWindowQuery"];
export type BlocksQuery = components["schemas"]["BlocksQuery"];
export type MemoryFlameQuery = components["schemas"]["MemoryFlameQuery"];
export type SegmentsQuery = OfTimeline & { device: string; time_ns: number; by: string };

export function fetchMemory({ run, profile }: ProfileKey, signal: AbortSignal): Promise<MemoryAnswer> {
  return json(request(`/api/profiles/memory?${new URLSearchParams({ run, profile })}`, { signal }));
}

export function fetchMemoryWindow(query: MemoryWindowQuery, signal: AbortSignal): Promise<Message<"MemoryWindowHeader">> {
  return message<"MemoryWindowHeader">(request("/api/profiles/memory/window", { body: query, signal }));
}

export function fetchBlocks(query: BlocksQuery, signal: AbortSignal): Promise<BlocksAnswer> {
  return json(request("/api/profiles/memory/blocks", { body: query, signal }));
}

export function fetchBlock({ block, ...of }: OfTimeline & { block: number }, signal: AbortSignal): Promise<BlockAnswer> {
  return json(request(`/api/profiles/memory/block?${new URLSearchParams({ ...of, block: String(block) })}`, { signal }));
}

export function fetchMemoryFlame(query: MemoryFlameQuery, signal: AbortSignal): Promise<Message<"FlameHeader">> {
  return message<"FlameHeader">(request("/api/profiles/memory/flame", { body: query, signal }));
}

export function fetchSegments({ time_ns, ...of }: SegmentsQuery, signal: AbortSignal): Promise<Message<"SegmentMapHeader">> {
  const query = new URLSearchParams({ ...of, time_ns: String(Math.round(time_ns)) });
  return message<"SegmentMapHeader">(request(`/api/profiles/memory/segments?${query}`, { signal }));
}

export function fetchSteps({ run, profile }: ProfileKey, signal: AbortSignal): Promise<Message<"StepsHeader">> {
  return message<"StepsHeader">(request(`/api/profiles/steps?${new URLSearchParams({ run, profile })}`, { signal }));
}

export function fetchStepCommunication(
  { run, profile, number }: ProfileKey & { number: number },
  signal: AbortSignal,
): Promise<StepCommunication> {
  const query = new URLSearchParams({ run, profile, number: String(number) });
  return json(request(`/api/profiles/steps/communication?${query}`, { signal }));
}

export function fetchPipeline({ run, profile }: ProfileKey, signal: AbortSignal): Promise<Message<"PipelineHeader">> {
  return message<"PipelineHeader">(request(`/api/profiles/pipeline?${new URLSearchParams({ run, profile })}`, { signal }));
}
