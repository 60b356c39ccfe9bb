// SPDX-License-Identifier: Apache-2.0
import { fields, flag, integer, natural, oneOf, optional, param, range, text, unique, type Codec, type ValueOf } from "./schema";

export const MEMORY_PANELS = ["blocks", "flame", "segments", "leaks"] as const;

export const MEMORY_GROUPS = ["category", "operator", "module", "line"] as const;
/** By what blocks are grouped; `line` is the innermost frame of the training. */
export type MemoryGroup = (typeof MEMORY_GROUPS)[number];

const TIME: Codec<number> = { ...integer, write: natural.write };
const LINES: Codec<readonly string[]> = {
  read: (names) => unique(names.split("~").filter(Boolean)),
  write: (names) => names.join("~"),
};

/** The tab Memory. Times in nanoseconds. */
export const MEMORY_VIEW = fields({
  /** Null for the one with the greatest peak. */
  device: optional("memory_device", text),
  /** Null for all. */
  range: optional("memory", range()),
  /** Null for that of the peak. */
  time: optional("memory_at", TIME),
  by: optional("memory_by", oneOf(MEMORY_GROUPS)),
  isStacked: flag("memory_stacked", "1"),
  panel: param("memory_panel", oneOf(MEMORY_PANELS), "blocks"),
  /** Blocks of one group are listed; null for all. */
  group: optional("memory_group", text),
  block: optional("memory_block", natural),
  /** Of the list of blocks, from 0. */
  page: param("memory_page", natural, 0),
  /** The flame graph has all bytes that the range allocates, not the live ones. */
  isAllocated: flag("memory_allocated", "1"),
});
export type MemoryView = ValueOf<typeof MEMORY_VIEW>;

/** The tabs Step trace and Data pipeline. */
export const STEPS_VIEW = fields({
  /** Number of a step. */
  step: optional("profile_step", integer),
  /** Lines that are not drawn; null for the parts, where there are phases. */
  hidden: optional("profile_hidden", LINES),
  /** Name of an operation of the data pipeline. */
  operation: optional("profile_operation", text),
});
export type StepsView = ValueOf<typeof STEPS_VIEW>;
