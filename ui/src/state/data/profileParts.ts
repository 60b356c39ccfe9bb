// SPDX-License-Identifier: Apache-2.0
/** Memory, steps and data pipeline of a profile. */
import { request } from "../../api/client";
import { message } from "../../api/decode";
import { get, post, type Json } from "../../api/routes";
import type { Schemas } from "../../core/messages/message";
import type { Flame } from "../../core/profiles/flame";
import type { MemoryWindow, SegmentMap } from "../../core/profiles/memory";
import type { DataPipeline, StepTrace } from "../../core/profiles/stepTrace";
import type { ProfileKey } from "../../core/view/profileView";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";
import type { OfTimeline } from "./profiles";

type MemoryAnswer = Json<"/api/profiles/memory", "get">;
export type MemoryFacts = NonNullable<MemoryAnswer["memory"]>;
export type BlocksAnswer = Json<"/api/profiles/memory/blocks", "post">;
export type BlockAnswer = Json<"/api/profiles/memory/block", "get">;
export type StepCommunication = Json<"/api/profiles/steps/communication", "get">;
export type MemoryWindowQuery = Schemas["MemoryWindowQuery"];
export type BlocksQuery = Schemas["BlocksQuery"];
export type MemoryFlameQuery = Schemas["MemoryFlameQuery"];

export type MemoryBlock = BlocksAnswer["blocks"][number];

const ofSameProfile = (one: ProfileKey, other: ProfileKey): boolean => one.run === other.run && one.profile === other.profile;

/** What is recorded of the memory of a profile, or why it is missing. */
export const memorySource: ResourceDefinition<OfTimeline, MemoryAnswer> = {
  kind: "profile_memory",
  read: ({ run, profile }, signal) => get("/api/profiles/memory", { run, profile }, signal),
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const memoryWindow: ResourceDefinition<MemoryWindowQuery, MemoryWindow> = {
  kind: "memory_window",
  read: (query, signal) => message<"MemoryWindowHeader">(request("/api/profiles/memory/window", { body: query, signal })),
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const liveBlocks: ResourceDefinition<BlocksQuery, BlocksAnswer> = {
  kind: "memory_blocks",
  read: (query, signal) => post("/api/profiles/memory/blocks", query, signal),
  runs: noRuns,
  bytes: ({ blocks, groups }) => 400 * blocks.length + 100 * groups.length,
  keepsValue: ofSameProfile,
};

export const memoryBlock: ResourceDefinition<OfTimeline & { block: number }, BlockAnswer> = {
  kind: "memory_block",
  read: (query, signal) => get("/api/profiles/memory/block", query, signal),
  runs: noRuns,
  keepsValue: () => false,
};

export const memoryFlame: ResourceDefinition<MemoryFlameQuery, Flame> = {
  kind: "memory_flame",
  read: (query, signal) => message<"FlameHeader">(request("/api/profiles/memory/flame", { body: query, signal })),
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const segmentMap: ResourceDefinition<OfTimeline & { device: string; time_ns: number; by: string }, SegmentMap> = {
  kind: "memory_segments",
  read: ({ time_ns, ...of }, signal) =>
    message<"SegmentMapHeader">(request("/api/profiles/memory/segments", { query: { ...of, time_ns: Math.round(time_ns) }, signal })),
  runs: noRuns,
  keepsValue: ofSameProfile,
};

/** All steps of a profile, or why they are missing. */
export const stepsSource: ResourceDefinition<OfTimeline, StepTrace> = {
  kind: "profile_steps",
  read: ({ run, profile }, signal) => message<"StepsHeader">(request("/api/profiles/steps", { query: { run, profile }, signal })),
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const stepCommunication: ResourceDefinition<OfTimeline & { number: number }, StepCommunication> = {
  kind: "step_communication",
  read: ({ run, profile, number }, signal) => get("/api/profiles/steps/communication", { run, profile, number }, signal),
  runs: noRuns,
  keepsValue: () => false,
};

/** The data pipeline of a profile, or why it is missing. */
export const pipelineSource: ResourceDefinition<OfTimeline, DataPipeline> = {
  kind: "profile_pipeline",
  read: ({ run, profile }, signal) => message<"PipelineHeader">(request("/api/profiles/pipeline", { query: { run, profile }, signal })),
  runs: noRuns,
  keepsValue: ofSameProfile,
};
