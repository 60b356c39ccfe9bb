// SPDX-License-Identifier: Apache-2.0
import { TSNE_ITERATIONS, type Layout, type LayoutJob, type LayoutProgress } from "../../core/embeddings/layout";
import { Tsne } from "../../core/embeddings/tsne";
import { Umap } from "./umap";

export function layoutOf({ method, graph, initial, dims, perplexity, seed }: LayoutJob): Layout {
  if (method === "tsne") return new Tsne(graph, initial, dims, perplexity, TSNE_ITERATIONS);
  return new Umap(graph, initial, dims, seed);
}

/** Runs iterations for some time, and returns what they reached. */
export function advance(layout: Layout, milliseconds: number): LayoutProgress {
  const deadline = performance.now() + milliseconds;
  do layout.step();
  while (layout.iteration < layout.total && performance.now() < deadline);
  return { iteration: layout.iteration, total: layout.total, places: Float32Array.from(layout.places) };
}
