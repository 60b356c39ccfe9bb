// SPDX-License-Identifier: Apache-2.0
import { fetchCurves, fetchTags } from "../../api/routes";
import {
  fetchAudio,
  fetchHeat,
  fetchPreviews,
  fetchHparams,
  fetchStatistics,
  fetchTensor,
  fetchTexts,
  fetchValues,
  fetchWindow,
  tensorFile,
  type ListedKind,
  type Previews,
  type SliceKey,
  type AudioClip,
  type TensorFacts,
  type TensorStatistics,
  type TensorWindow,
  type ValueKey,
  type ValueList,
  type WindowPlace,
} from "../../api/values";
import type { Heat } from "../../core/series/heat";
import type { HparamTable } from "../../core/runs/hparamTable";
import type { Series } from "../../core/series/series";
import { Asked } from "../requests/asked.svelte";
import { readClip, type ShownClip } from "./audioClips.svelte";
import { Kept } from "../requests/kept.svelte";
import type { ValueSource } from "../requests/valueDemand.svelte";

export {
  tensorFile,
  type Previews,
  type SliceKey,
  type AudioClip,
  type TensorFacts,
  type TensorStatistics,
  type TensorWindow,
  type ValueKey,
  type ValueList,
};

const ID_BYTES = 80;
const CELL_BYTES = 32;

function listOf(kind: ListedKind): ValueSource<ValueList> {
  return { kind, read: (series, _, signal) => fetchValues(series, kind, signal), bytes: ({ id }) => id.length * ID_BYTES };
}

export const tensorLists = listOf("tensor");
export const textLists = listOf("text");
export const audioLists = listOf("audio");

export function keptTensor(): Kept<ValueKey, TensorFacts> {
  return new Kept("tensor", fetchTensor);
}

export function keptWindow(): Kept<{ key: SliceKey; place: WindowPlace }, TensorWindow> {
  return new Kept(
    "window",
    ({ key, place }, signal) => fetchWindow(key, place, signal),
    ({ cells }) => cells.length * (cells[0]?.length ?? 0) * CELL_BYTES,
  );
}

export function keptStatistics(): Kept<{ key: SliceKey; bins: number }, TensorStatistics> {
  return new Kept("statistics", ({ key, bins }, signal) => fetchStatistics(key, bins, signal));
}

export function keptHeat(): Kept<{ key: SliceKey; rows: number; columns: number }, Heat> {
  return new Kept(
    "heat",
    ({ key, rows, columns }, signal) => fetchHeat(key, rows, columns, signal),
    ({ value }) => 12 * value.length,
  );
}

export function keptTexts(): Kept<ValueKey, readonly string[]> {
  return new Kept("text", fetchTexts, (texts) => texts.reduce((sum, text) => sum + 2 * text.length, 0));
}

export function keptAudioClip(): Kept<{ key: ValueKey; clip: number }, ShownClip> {
  return new Kept("sound", ({ key, clip }, signal) => readClip(key, clip, signal));
}

export function keptAudio(): Kept<{ key: ValueKey; clip: number }, Blob> {
  return new Kept(
    "audio",
    ({ key, clip }, signal) => fetchAudio(key, clip, signal),
    (blob) => blob.size,
  );
}

export function askedHparams(): Asked<readonly string[], HparamTable> {
  return new Asked(fetchHparams);
}

export function askedPreviews(): Asked<{ run: string; landscape: string | null }, Previews> {
  return new Asked(fetchPreviews);
}

/** A curve of few pixels, for a picture of it. */
export const curveSource: ValueSource<Series, number> = {
  kind: "small curve",
  read: async ({ run, tag }, pixels, signal) => {
    const query = {
      series: [{ run, tag, since: null }],
      axis: "step" as const,
      range: null,
      pixels,
      log_origin: null,
      smoothing: 0,
      overwritten: false,
    };
    return (await fetchCurves(query, signal))[0]!;
  },
  bytes: ({ returned }) => 24 * returned,
};

/** Curves of few pixels of one tag of several runs, in one request. */
export function askedCurves(): Asked<
  { tag: string; runs: readonly string[]; pixels: number },
  { tag: string; curves: { run: string; series: Series }[] }
> {
  return new Asked(async ({ tag, runs, pixels }, signal) => {
    const series = runs.map((run) => ({ run, tag, since: null }));
    const query = { series, axis: "step" as const, range: null, pixels, log_origin: null, smoothing: 0, overwritten: false };
    const found = runs.length > 0 ? await fetchCurves(query, signal) : [];
    return { tag, curves: found.map((one, index) => ({ run: runs[index]!, series: one })) };
  });
}

/** The tags of a kind in a run, by name. */
export function askedTags(kind: string): Asked<string, { run: string; tags: readonly string[] }> {
  return new Asked(async (run, signal) => ({ run, tags: (await fetchTags([run], kind, signal)).tags.map(({ tag }) => tag) }));
}
