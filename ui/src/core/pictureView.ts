// SPDX-License-Identifier: Apache-2.0
import { COMPARISONS, type Comparison } from "./comparison";
import { wholeNumber } from "./queryText";

/** What the page of images looks like beyond what all pages share; all of it is in the address. */
export interface PictureView {
  /** Picture of a value that holds several, in full screen. */
  picture: number;
  /** Factors, 1 leaves the pictures as they are. */
  brightness: number;
  contrast: number;
  /** Pictures pixel by pixel rather than as large as the card. */
  isOriginal: boolean;
  /** A second step, or another run at the same step, beside the first in full screen; null shows one. */
  comparison: { by: Comparison; step: number } | { by: Comparison; run: string } | null;
}

export const FACTOR_LIMIT = 3;

export function defaultPictureView(): PictureView {
  return { picture: 0, brightness: 1, contrast: 1, isOriginal: false, comparison: null };
}

/** Factors within their limits. */
export function tidyPictures(view: PictureView): PictureView {
  return { ...view, brightness: factorOf(view.brightness), contrast: factorOf(view.contrast) };
}

/** Without a number the pictures stay as they are. */
function factorOf(number: number): number {
  return Number.isFinite(number) ? Math.min(FACTOR_LIMIT, Math.max(0, number)) : 1;
}

export function describePictures(view: PictureView, query: URLSearchParams): void {
  if (view.picture !== 0) query.append("picture", String(view.picture));
  if (view.brightness !== 1) query.append("brightness", String(view.brightness));
  if (view.contrast !== 1) query.append("contrast", String(view.contrast));
  if (view.isOriginal) query.append("size", "original");
  if (!view.comparison) return;
  const { by } = view.comparison;
  if ("step" in view.comparison) query.append(by, String(view.comparison.step));
  else query.append(`${by}_run`, view.comparison.run);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function pictureViewOf(query: URLSearchParams): PictureView {
  return {
    picture: Math.max(0, wholeNumber(query.get("picture")) ?? 0),
    brightness: factorOf(Number(query.get("brightness") ?? 1)),
    contrast: factorOf(Number(query.get("contrast") ?? 1)),
    isOriginal: query.get("size") === "original",
    comparison: comparisonOf(query),
  };
}

function comparisonOf(query: URLSearchParams): PictureView["comparison"] {
  for (const by of COMPARISONS) {
    const step = wholeNumber(query.get(by));
    if (step !== null) return { by, step };
    const run = query.get(`${by}_run`);
    if (run !== null) return { by, run };
  }
  return null;
}
