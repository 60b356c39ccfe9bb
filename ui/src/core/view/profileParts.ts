// SPDX-License-Identifier: Apache-2.0
import { unique, wholeNumber } from "./queryValues";

export const MEMORY_PANELS = ["blocks", "flame", "segments", "leaks"] as const;
export type MemoryPanel = (typeof MEMORY_PANELS)[number];

export const MEMORY_GROUPS = ["category", "operator", "module", "line"] as const;
/** By what blocks are grouped; `line` is the innermost frame of the training. */
export type MemoryGroup = (typeof MEMORY_GROUPS)[number];

/** The tab Memory. Times in nanoseconds. */
export interface MemoryView {
  /** Null for the one with the greatest peak. */
  device: string | null;
  /** Null for all. */
  range: readonly [number, number] | null;
  /** Null for that of the peak. */
  time: number | null;
  by: MemoryGroup | null;
  isStacked: boolean;
  panel: MemoryPanel;
  /** Blocks of one group are listed; null for all. */
  group: string | null;
  block: number | null;
  /** Of the list of blocks, from 0. */
  page: number;
  /** The flame graph has all bytes that the range allocates, not the live ones. */
  isAllocated: boolean;
}

/** The tabs Step trace and Data pipeline. */
export interface StepsView {
  /** Number of a step. */
  step: number | null;
  /** Lines that are not drawn; null for the parts, where there are phases. */
  hidden: readonly string[] | null;
  /** Name of an operation of the data pipeline. */
  operation: string | null;
}

export function defaultMemoryView(): MemoryView {
  return {
    ...{ device: null, range: null, time: null, by: null, isStacked: false },
    ...{ panel: "blocks", group: null, block: null, page: 0, isAllocated: false },
  };
}

export function defaultStepsView(): StepsView {
  return { step: null, hidden: null, operation: null };
}

export function describeMemory(memory: MemoryView, query: URLSearchParams): void {
  if (memory.device !== null) query.append("memory_device", memory.device);
  if (memory.range) query.append("memory", memory.range.map(Math.round).join("~"));
  if (memory.time !== null) query.append("memory_at", String(Math.round(memory.time)));
  if (memory.by !== null) query.append("memory_by", memory.by);
  if (memory.isStacked) query.append("memory_stacked", "1");
  if (memory.panel !== "blocks") query.append("memory_panel", memory.panel);
  if (memory.group !== null) query.append("memory_group", memory.group);
  if (memory.block !== null) query.append("memory_block", String(memory.block));
  if (memory.page > 0) query.append("memory_page", String(memory.page));
  if (memory.isAllocated) query.append("memory_allocated", "1");
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function memoryViewOf(query: URLSearchParams): MemoryView {
  const [begin, end] = (query.get("memory") ?? "").split("~").map(wholeNumber);
  const block = wholeNumber(query.get("memory_block"));
  const page = wholeNumber(query.get("memory_page"));
  return {
    device: query.get("memory_device"),
    range: begin != null && end != null && begin < end ? [begin, end] : null,
    time: wholeNumber(query.get("memory_at")),
    by: MEMORY_GROUPS.find((by) => by === query.get("memory_by")) ?? null,
    isStacked: query.get("memory_stacked") === "1",
    panel: MEMORY_PANELS.find((panel) => panel === query.get("memory_panel")) ?? "blocks",
    group: query.get("memory_group"),
    block: block !== null && block >= 0 ? block : null,
    page: Math.max(0, page ?? 0),
    isAllocated: query.get("memory_allocated") === "1",
  };
}

export function describeSteps(steps: StepsView, query: URLSearchParams): void {
  if (steps.step !== null) query.append("profile_step", String(steps.step));
  if (steps.hidden) query.append("profile_hidden", steps.hidden.join("~"));
  if (steps.operation !== null) query.append("profile_operation", steps.operation);
}

export function stepsViewOf(query: URLSearchParams): StepsView {
  const hidden = query.get("profile_hidden");
  return {
    step: wholeNumber(query.get("profile_step")),
    hidden: hidden === null ? null : unique(hidden.split("~").filter(Boolean)),
    operation: query.get("profile_operation"),
  };
}
