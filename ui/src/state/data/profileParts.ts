// SPDX-License-Identifier: Apache-2.0
import {
  fetchBlock,
  fetchBlocks,
  fetchMemory,
  fetchMemoryFlame,
  fetchMemoryWindow,
  fetchPipeline,
  fetchSegments,
  fetchStepCommunication,
  fetchSteps,
  type BlockAnswer,
  type BlocksAnswer,
  type BlocksQuery,
  type MemoryAnswer,
  type MemoryFlameQuery,
  type MemoryWindowQuery,
  type SegmentsQuery,
  type StepCommunication,
} from "../../api/profileParts";
import type { OfTimeline } from "../../api/profiles";
import type { Flame } from "../../core/profiles/flame";
import type { MemoryWindow, SegmentMap } from "../../core/profiles/memory";
import type { DataPipeline, StepTrace } from "../../core/profiles/stepTrace";
import type { ProfileKey } from "../../core/view/profileView";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type {
  BlockAnswer,
  BlocksAnswer,
  BlocksQuery,
  MemoryFacts,
  MemoryFlameQuery,
  MemoryWindowQuery,
  StepCommunication,
} from "../../api/profileParts";

export type MemoryBlock = BlocksAnswer["blocks"][number];

const ofSameProfile = (one: ProfileKey, other: ProfileKey): boolean => one.run === other.run && one.profile === other.profile;

/** What is recorded of the memory of a profile, or why it is missing. */
export const memorySource: ResourceDefinition<OfTimeline, MemoryAnswer> = {
  kind: "profile_memory",
  read: fetchMemory,
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const memoryWindow: ResourceDefinition<MemoryWindowQuery, MemoryWindow> = {
  kind: "memory_window",
  read: fetchMemoryWindow,
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const liveBlocks: ResourceDefinition<BlocksQuery, BlocksAnswer> = {
  kind: "memory_blocks",
  read: fetchBlocks,
  runs: noRuns,
  bytes: ({ blocks, groups }) => 400 * blocks.length + 100 * groups.length,
  keepsValue: ofSameProfile,
};

export const memoryBlock: ResourceDefinition<OfTimeline & { block: number }, BlockAnswer> = {
  kind: "memory_block",
  read: fetchBlock,
  runs: noRuns,
  keepsValue: () => false,
};

export const memoryFlame: ResourceDefinition<MemoryFlameQuery, Flame> = {
  kind: "memory_flame",
  read: fetchMemoryFlame,
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const segmentMap: ResourceDefinition<SegmentsQuery, SegmentMap> = {
  kind: "memory_segments",
  read: fetchSegments,
  runs: noRuns,
  keepsValue: ofSameProfile,
};

/** All steps of a profile, or why they are missing. */
export const stepsSource: ResourceDefinition<OfTimeline, StepTrace> = {
  kind: "profile_steps",
  read: fetchSteps,
  runs: noRuns,
  keepsValue: ofSameProfile,
};

export const stepCommunication: ResourceDefinition<OfTimeline & { number: number }, StepCommunication> = {
  kind: "step_communication",
  read: fetchStepCommunication,
  runs: noRuns,
  keepsValue: () => false,
};

/** The data pipeline of a profile, or why it is missing. */
export const pipelineSource: ResourceDefinition<OfTimeline, DataPipeline> = {
  kind: "profile_pipeline",
  read: fetchPipeline,
  runs: noRuns,
  keepsValue: ofSameProfile,
};
