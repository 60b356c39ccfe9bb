// SPDX-License-Identifier: Apache-2.0
import { fetchCurves, fetchTags, get, type Json } from "../../api/routes";
import {
  fetchAudio,
  fetchBytes,
  fetchFacts,
  fetchHeat,
  fetchMesh,
  fetchPreviews,
  fetchStatistics,
  fetchTable,
  fetchTensor,
  fetchTexts,
  fetchWindow,
  htmlAddress,
  tableCsv,
  tableMedia,
  tensorFile,
  type Kind,
  type MeshValue,
  type Previews,
  type SliceKey,
  type AudioClip,
  type StepTensorKey,
  type TensorFacts,
  type TablePage,
  type TableQuery,
  type TensorKey,
  type TensorStatistics,
  type TensorWindow,
  type ValueKey,
  type ValueList,
  type WindowPlace,
} from "../../api/values";
import type { paths } from "../../core/messages/schema";
import type { Heat } from "../../core/series/heat";
import type { Series } from "../../core/series/series";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";
import { readClip, type ShownClip } from "./audioClips.svelte";
import { seriesSource, type SeriesSource } from "./seriesSource";

export {
  htmlAddress,
  tableCsv,
  tableMedia,
  tensorFile,
  type TablePage,
  type TableQuery,
  type Kind,
  type MeshValue,
  type Previews,
  type SliceKey,
  type AudioClip,
  type StepTensorKey,
  type TensorFacts,
  type TensorKey,
  type TensorStatistics,
  type TensorWindow,
  type ValueKey,
  type ValueList,
};

const ID_BYTES = 80;
const CELL_BYTES = 32;
const FACTS_BYTES = 1024;

/** The steps of a tag of a kind, and the ids of its values. */
export function valueLists(kind: Kind): SeriesSource<ValueList> {
  return seriesSource({
    kind,
    read: ({ run, tag }, signal) => get("/api/values", { run, tag, kind }, signal),
    bytes: ({ id }) => id.length * ID_BYTES,
  });
}

export const tensorLists = valueLists("tensor");

export const tensorFacts: ResourceDefinition<TensorKey, TensorFacts> = {
  kind: "tensor facts",
  read: fetchTensor,
  runs: noRuns,
  bytes: () => FACTS_BYTES,
};

export const tensorWindow: ResourceDefinition<{ key: SliceKey; place: WindowPlace }, TensorWindow> = {
  kind: "tensor window",
  read: ({ key, place }, signal) => fetchWindow(key, place, signal),
  runs: noRuns,
  bytes: ({ cells }) => cells.length * (cells[0]?.length ?? 0) * CELL_BYTES,
};

export const tensorStatistics: ResourceDefinition<{ key: SliceKey; bins: number }, TensorStatistics> = {
  kind: "tensor statistics",
  read: ({ key, bins }, signal) => fetchStatistics(key, bins, signal),
  runs: noRuns,
  bytes: () => FACTS_BYTES,
};

export const tensorHeat: ResourceDefinition<{ key: SliceKey; rows: number; columns: number }, Heat> = {
  kind: "tensor heat",
  read: ({ key, rows, columns }, signal) => fetchHeat(key, rows, columns, signal),
  runs: noRuns,
  bytes: ({ value }) => 12 * value.length,
};

export const textValues: ResourceDefinition<ValueKey, readonly string[]> = {
  kind: "text values",
  read: fetchTexts,
  runs: noRuns,
  bytes: (texts) => texts.reduce((sum, text) => sum + 2 * text.length, 0),
};

/** Some rows of a table. */
export const tableRows: ResourceDefinition<{ key: ValueKey; rows: TableQuery; first: number; count: number }, TablePage> = {
  kind: "table rows",
  read: ({ key, rows, first, count }, signal) => fetchTable(key, rows, first, count, signal),
  runs: noRuns,
  bytes: ({ columns, rows }) => FACTS_BYTES + columns.length * rows.length * CELL_BYTES,
};

export const audioClip: ResourceDefinition<{ key: ValueKey; clip: number }, ShownClip> = {
  kind: "audio clip",
  read: ({ key, clip }, signal) => readClip(key, clip, signal),
  runs: noRuns,
  bytes: () => FACTS_BYTES,
};

export const audioBytes: ResourceDefinition<{ key: ValueKey; clip: number }, Blob> = {
  kind: "audio bytes",
  read: ({ key, clip }, signal) => fetchAudio(key, clip, signal),
  runs: noRuns,
  bytes: (blob) => blob.size,
};

/** A mesh with at most `most` vertices. */
export const meshValue: ResourceDefinition<{ key: ValueKey; item: number; most: number }, MeshValue> = {
  kind: "mesh",
  read: ({ key, item, most }, signal) => fetchMesh(key, item, most, signal),
  runs: noRuns,
  bytes: ({ vertex, face, color }) => FACTS_BYTES + vertex.byteLength + face.byteLength + color.byteLength,
};

/** What a route of a kind says of a value. */
export function valueFacts<Path extends keyof paths>(path: Path): ResourceDefinition<ValueKey, Json<Path, "get">> {
  return { kind: `facts ${path}`, read: (key, signal) => fetchFacts(path, key, signal), runs: noRuns, bytes: () => FACTS_BYTES };
}

/** The encoded bytes of a value. */
export function valueBytes(path: keyof paths): ResourceDefinition<ValueKey, Blob> {
  return { kind: `bytes ${path}`, read: (key, signal) => fetchBytes(path, key, signal), runs: noRuns, bytes: (blob) => blob.size };
}

export const previews: ResourceDefinition<{ run: string; landscape: string | null }, Previews> = {
  kind: "previews",
  read: fetchPreviews,
  runs: ({ run }) => [run],
};

/** A curve of few pixels, for a preview. */
export const sparkline = seriesSource<Series, { pixels: number }>({
  kind: "sparkline",
  read: async ({ run, tag, pixels }, signal) => (await fetchSparklines(tag, [run], pixels, signal))[0]!,
  bytes: ({ returned }) => 24 * returned,
});

interface Sparklines {
  tag: string;
  curves: { run: string; series: Series }[];
}

/** Curves of few pixels of one tag of several runs, in one request. */
export const sparklines: ResourceDefinition<{ tag: string; runs: readonly string[]; pixels: number }, Sparklines> = {
  kind: "sparklines",
  read: async ({ tag, runs, pixels }, signal) => {
    const found = runs.length > 0 ? await fetchSparklines(tag, runs, pixels, signal) : [];
    return { tag, curves: found.map((series, index) => ({ run: runs[index]!, series })) };
  },
  runs: ({ runs }) => runs,
};

/** The tags of a kind in a run, by name. */
export function tagNames(kind: string): ResourceDefinition<string, { run: string; tags: readonly string[] }> {
  return {
    kind: `tags of ${kind}`,
    read: async (run, signal) => ({ run, tags: (await fetchTags([run], kind, signal)).tags.map(({ tag }) => tag) }),
    runs: (run) => [run],
  };
}

function fetchSparklines(tag: string, runs: readonly string[], pixels: number, signal: AbortSignal): Promise<Series[]> {
  const series = runs.map((run) => ({ run, tag, since: null }));
  return fetchCurves({ series, axis: "step", range: null, pixels, log_origin: null, smoothing: 0, overwritten: false }, signal);
}
