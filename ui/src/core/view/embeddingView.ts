// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_POINT_CAMERA, readPointCamera, writePointCamera } from "../embeddings/pointCamera";
import {
  fields,
  filter,
  flag,
  integer,
  natural,
  oneOf,
  optional,
  optionalList,
  param,
  text,
  within,
  type Codec,
  type ValueOf,
} from "./schema";

export const PROJECTIONS = ["pca", "tsne", "umap"] as const;
/** How vectors become points of the picture. */
export type Projection = (typeof PROJECTIONS)[number];
export const METRICS = ["cosine", "euclidean"] as const;
export const LABELLED = ["chosen", "all"] as const;
export const COMPONENTS = 10;

const wholeWithin = (low: number, high: number): Codec<number> => ({
  read: (number) => {
    const value = within(low, high).read(number);
    return value === null ? null : Math.round(value);
  },
  write: String,
});

const AXES: Codec<readonly [number, number, number]> = {
  read: (dotted) => {
    const axes = dotted.split(".").map(Number);
    const isValid = axes.length === 3 && axes.every((axis) => Number.isInteger(axis) && axis >= 1 && axis <= COMPONENTS);
    return isValid ? (axes as [number, number, number]) : null;
  },
  write: (axes) => axes.join("."),
};

/** What the page Embeddings looks like. */
export const EMBEDDING_VIEW = fields({
  /** Null for the first run with embeddings, and its first tag. */
  run: optional("embedding_run", text),
  tag: optional("embedding", text),
  /** Null for the newest. */
  step: optional("embedding_step", integer),
  projection: param("embedding_projection", oneOf(PROJECTIONS), "pca"),
  isFlat: flag("embedding_dimensions", "2"),
  /** Components along the axes of the picture, from 1. */
  axes: param("embedding_axes", AXES, [1, 2, 3]),
  perplexity: param("embedding_perplexity", wholeWithin(2, 50), 30),
  neighbors: param("embedding_neighbors", wholeWithin(2, 100), 15),
  seed: param("embedding_seed", wholeWithin(0, 999), 0),
  /** Columns of the metadata; null for the first one. An empty color is one color for all. */
  color: optional("embedding_color", text),
  label: optional("embedding_label", text),
  labelled: param("embedding_labels", oneOf(LABELLED), "chosen"),
  hasImages: flag("embedding_images", "off", true),
  filter: filter("embedding_search", "embedding_regex"),
  metric: param("embedding_metric", oneOf(METRICS), "cosine"),
  listed: param("embedding_count", wholeWithin(5, 500), 50),
  /** Numbers of the selected points; null for none. */
  selected: optionalList("embedding_point", natural),
  isIsolated: flag("embedding_only", "selected"),
  hasPanel: flag("embedding_panel", "off", true),
  camera: param("embedding_camera", { read: readPointCamera, write: writePointCamera }, DEFAULT_POINT_CAMERA),
});
export type EmbeddingView = ValueOf<typeof EMBEDDING_VIEW>;
