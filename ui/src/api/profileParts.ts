// SPDX-License-Identifier: Apache-2.0
/** Memory, steps and data pipeline of a profile. */
import type { Flame } from "../core/profiles/flame";
import type { MemoryWindow, SegmentMap, SizeWindow } from "../core/profiles/memory";
import type { DataPipeline, StepTrace } from "../core/profiles/stepTrace";
import type { ProfileKey } from "../core/view/profileView";
import { request } from "./client";
import { float64, readHeader } from "./columns";
import { decodeFlame, type OfTimeline } from "./profiles";
import { json, type Json } from "./routes";
import type { components } from "./schema";

type Column = components["schemas"]["Column"];
type Missing = components["schemas"]["MissingEntry"];
export type MemoryAnswer = Json<"/api/profiles/memory", "get">;
export type MemoryFacts = NonNullable<MemoryAnswer["memory"]>;
export type BlocksAnswer = Json<"/api/profiles/memory/blocks", "post">;
export type BlockAnswer = Json<"/api/profiles/memory/block", "get">;
export type StepCommunication = Json<"/api/profiles/steps/communication", "get">;
export type MemoryWindowQuery = components["schemas"]["MemoryWindowQuery"];
export type BlocksQuery = components["schemas"]["BlocksQuery"];
export type MemoryFlameQuery = components["schemas"]["MemoryFlameQuery"];
export type SegmentsQuery = OfTimeline & { device: string; time_ns: number; by: string };

/** A part of a profile, or why it is missing. */
export interface PartAnswer<Part> {
  missing: Missing | null;
  value: Part;
}

export type StepsAnswer = PartAnswer<StepTrace> & { hasCommunication: boolean };

export function fetchMemory({ run, profile }: ProfileKey, signal: AbortSignal): Promise<MemoryAnswer> {
  return json(request(`/api/profiles/memory?${new URLSearchParams({ run, profile })}`, { signal }));
}

export async function fetchMemoryWindow(query: MemoryWindowQuery, signal: AbortSignal): Promise<MemoryWindow> {
  return decodeMemoryWindow(await (await request("/api/profiles/memory/window", { body: query, signal })).arrayBuffer());
}

export function fetchBlocks(query: BlocksQuery, signal: AbortSignal): Promise<BlocksAnswer> {
  return json(request("/api/profiles/memory/blocks", { body: query, signal }));
}

export function fetchBlock({ block, ...of }: OfTimeline & { block: number }, signal: AbortSignal): Promise<BlockAnswer> {
  return json(request(`/api/profiles/memory/block?${new URLSearchParams({ ...of, block: String(block) })}`, { signal }));
}

export async function fetchMemoryFlame(query: MemoryFlameQuery, signal: AbortSignal): Promise<Flame> {
  return decodeFlame(await (await request("/api/profiles/memory/flame", { body: query, signal })).arrayBuffer());
}

export async function fetchSegments({ time_ns, ...of }: SegmentsQuery, signal: AbortSignal): Promise<SegmentMap> {
  const query = new URLSearchParams({ ...of, time_ns: String(Math.round(time_ns)) });
  return decodeSegments(await (await request(`/api/profiles/memory/segments?${query}`, { signal })).arrayBuffer());
}

export async function fetchSteps({ run, profile }: ProfileKey, signal: AbortSignal): Promise<StepsAnswer> {
  return decodeSteps(await (await request(`/api/profiles/steps?${new URLSearchParams({ run, profile })}`, { signal })).arrayBuffer());
}

export function fetchStepCommunication(
  { run, profile, number }: ProfileKey & { number: number },
  signal: AbortSignal,
): Promise<StepCommunication> {
  const query = new URLSearchParams({ run, profile, number: String(number) });
  return json(request(`/api/profiles/steps/communication?${query}`, { signal }));
}

export async function fetchPipeline({ run, profile }: ProfileKey, signal: AbortSignal): Promise<PartAnswer<DataPipeline>> {
  return decodePipeline(await (await request(`/api/profiles/pipeline?${new URLSearchParams({ run, profile })}`, { signal })).arrayBuffer());
}

/** Raises RangeError or SyntaxError for bytes that are no window. */
export function decodeMemoryWindow(buffer: ArrayBuffer): MemoryWindow {
  const { header, start } = readHeader<components["schemas"]["MemoryWindowHeader"]>(buffer);
  const f64 = (column: Column): Float64Array => float64(buffer, start, column);
  const pixels = ({ offset, length }: Column): Uint16Array => new Uint16Array(buffer, start + offset, length);
  const sizes = ({ before, pixel, low, high, last }: components["schemas"]["SizeColumns"]): SizeWindow => ({
    ...{ before, pixel: pixels(pixel), low: f64(low), high: f64(high), last: f64(last) },
  });
  const { areas } = header;
  return {
    version: header.version,
    begin: header.begin_ns,
    pixelNs: header.pixel_ns,
    width: header.width,
    curves: header.curves.map(({ curve, allocated, reserved }) => ({
      ...{ curve, allocated: sizes(allocated), reserved: reserved && sizes(reserved) },
    })),
    areas: areas && {
      device: areas.device,
      texts: areas.texts,
      hasOthers: areas.has_others,
      before: areas.before,
      pixel: pixels(areas.pixel),
      highest: f64(areas.highest),
      last: f64(areas.last),
    },
  };
}

/** Raises RangeError or SyntaxError for bytes that are no map. */
export function decodeSegments(buffer: ArrayBuffer): SegmentMap {
  const { header, start } = readHeader<components["schemas"]["SegmentMapHeader"]>(buffer);
  const f64 = (column: Column): Float64Array => float64(buffer, start, column);
  const u32 = ({ offset, length }: Column): Uint32Array => new Uint32Array(buffer, start + offset, length);
  const u8 = ({ offset, length }: Column): Uint8Array => new Uint8Array(buffer, start + offset, length);
  return {
    time: header.time_ns,
    reserved: header.reserved,
    allocated: header.allocated,
    pending: header.pending,
    largestGap: header.largest_gap,
    gaps: header.gaps,
    texts: header.texts,
    address: header.address,
    size: f64(header.size),
    stream: f64(header.stream),
    block: u32(header.block),
    segment: u32(header.segment),
    start: f64(header.start),
    blockSize: f64(header.block_size),
    isPending: u8(header.is_pending),
    group: u8(header.group),
  };
}

/** Raises RangeError or SyntaxError for bytes that are no steps. */
export function decodeSteps(buffer: ArrayBuffer): StepsAnswer {
  const { header, start } = readHeader<components["schemas"]["StepsHeader"]>(buffer);
  const f64 = (column: Column | null): Float64Array => (column ? float64(buffer, start, column) : new Float64Array(0));
  const columns = new Map(header.columns.map(({ name, values }) => [name, f64(values)]));
  return {
    missing: header.missing,
    value: {
      number: f64(header.number),
      begin: f64(header.begin),
      columns,
      warmUp: new Set(header.warm_up_rows),
      incomplete: new Set(header.incomplete_rows),
    },
    hasCommunication: header.has_communication,
  };
}

/** Raises RangeError or SyntaxError for bytes that are no data pipeline. */
export function decodePipeline(buffer: ArrayBuffer): PartAnswer<DataPipeline> {
  const { header, start } = readHeader<components["schemas"]["PipelineHeader"]>(buffer);
  const f64 = (column: Column): Float64Array => float64(buffer, start, column);
  const { batches } = header;
  return {
    missing: header.missing,
    value: {
      operations: header.operations.map(({ queue_capacity, queue_size, ...operation }) => ({
        ...{ ...operation, capacity: queue_capacity, queueSize: queue_size },
      })),
      queues: header.queues.map(({ x, size, ...queue }) => ({ ...queue, x: f64(x), size: f64(size) })),
      batches: batches && {
        step: f64(batches.step),
        wait: f64(batches.wait),
        push: batches.push && f64(batches.push),
        whole: batches.whole && f64(batches.whole),
      },
      lowUse: header.low_use,
      highUse: header.high_use,
    },
  };
}
