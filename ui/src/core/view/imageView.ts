// SPDX-License-Identifier: Apache-2.0
import { COMPARISONS, type Comparison } from "./imageComparison";
import { wholeNumber } from "./queryValues";

/** What the page of images looks like beyond what all pages share; all of it is in the address. */
export interface ImageView {
  /** Picture of a value that holds several, in full screen. */
  picture: number;
  /** Factors, 1 leaves the pictures as they are. */
  brightness: number;
  contrast: number;
  /** How many pixels of the screen a pixel of a picture takes; null for pictures as large as their room. */
  scale: number | null;
  /** A second step, or another run at the same step, beside the first in full screen; null shows one. */
  comparison: { by: Comparison; step: number } | { by: Comparison; run: string } | null;
  /** How many times a difference is drawn as large as it is. */
  gain: number;
}

export const SCALES = [1, 2, 4, 8] as const;
export const GAINS = [1, 4, 16] as const;

interface Size {
  width: number;
  height: number;
}

/** Whole pixels of the screen that a picture takes, in its room or at its scale. */
export function imageSize(natural: Size, room: Size, scale: number | null): Size {
  const factor = scale ?? Math.min(room.width / Math.max(1, natural.width), room.height / Math.max(1, natural.height));
  return { width: pixelsOf(natural.width * factor), height: pixelsOf(natural.height * factor) };
}

/** A side that is far shorter than the other is still seen. */
function pixelsOf(length: number): number {
  return length > 0 ? Math.max(1, Math.round(length)) : 0;
}

export const FACTOR_LIMIT = 3;

export function defaultImageView(): ImageView {
  return { picture: 0, brightness: 1, contrast: 1, scale: null, comparison: null, gain: 1 };
}

/** Factors within their limits. */
export function tidyImageView(view: ImageView): ImageView {
  return { ...view, brightness: factorOf(view.brightness), contrast: factorOf(view.contrast) };
}

/** Without a number the pictures stay as they are. */
function factorOf(number: number): number {
  return Number.isFinite(number) ? Math.min(FACTOR_LIMIT, Math.max(0, number)) : 1;
}

export function describeImages(view: ImageView, query: URLSearchParams): void {
  if (view.picture !== 0) query.append("picture", String(view.picture));
  if (view.brightness !== 1) query.append("brightness", String(view.brightness));
  if (view.contrast !== 1) query.append("contrast", String(view.contrast));
  if (view.scale !== null) query.append("size", view.scale === 1 ? "original" : String(view.scale));
  if (view.gain !== 1) query.append("gain", String(view.gain));
  if (!view.comparison) return;
  const { by } = view.comparison;
  if ("step" in view.comparison) query.append(by, String(view.comparison.step));
  else query.append(`${by}_run`, view.comparison.run);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function imageViewOf(query: URLSearchParams): ImageView {
  return {
    picture: Math.max(0, wholeNumber(query.get("picture")) ?? 0),
    brightness: factorOf(Number(query.get("brightness") ?? 1)),
    contrast: factorOf(Number(query.get("contrast") ?? 1)),
    scale: scaleOf(query.get("size")),
    comparison: comparisonOf(query),
    gain: GAINS.find((gain) => String(gain) === query.get("gain")) ?? 1,
  };
}

function scaleOf(text: string | null): number | null {
  return text === "original" ? 1 : (SCALES.find((scale) => String(scale) === text) ?? null);
}

function comparisonOf(query: URLSearchParams): ImageView["comparison"] {
  for (const by of COMPARISONS) {
    const step = wholeNumber(query.get(by));
    if (step !== null) return { by, step };
    const run = query.get(`${by}_run`);
    if (run !== null) return { by, run };
  }
  return null;
}
