// SPDX-License-Identifier: Apache-2.0
import { COMPARISONS, type Comparison } from "./imageComparison";
import { fields, integer, optional, param, within, type Codec, type Param, type ValueOf } from "./schema";

export const SCALES = [1, 2, 4, 8] as const;
export const GAINS = [1, 4, 16] as const;
export const FACTOR_LIMIT = 3;

const FACTOR = within(0, FACTOR_LIMIT);
const PICTURE: Codec<number> = { read: (text) => Math.max(0, integer.read(text) ?? 0), write: String };
const GAIN: Codec<number> = { read: (text) => GAINS.find((gain) => String(gain) === text) ?? null, write: String };
const SCALE: Codec<number> = {
  read: (text) => (text === "original" ? 1 : (SCALES.find((scale) => String(scale) === text) ?? null)),
  write: (scale) => (scale === 1 ? "original" : String(scale)),
};

const COMPARISON: Param<{ by: Comparison; step: number } | { by: Comparison; run: string } | null> = {
  defaultValue: null,
  read: (query) => {
    for (const by of COMPARISONS) {
      const step = optional(by, integer).read(query);
      if (step !== null) return { by, step };
      const run = query.get(`${by}_run`);
      if (run !== null) return { by, run };
    }
    return null;
  },
  write: (value, query) => {
    if (value && "step" in value) query.append(value.by, String(value.step));
    else if (value) query.append(`${value.by}_run`, value.run);
  },
};

/** What the page of images looks like beyond what all pages share. */
export const IMAGE_VIEW = fields({
  /** Picture of a value that holds several, in full screen. */
  picture: param("picture", PICTURE, 0),
  /** Factors, 1 leaves the pictures as they are. */
  brightness: param("brightness", FACTOR, 1),
  contrast: param("contrast", FACTOR, 1),
  /** How many pixels of the screen a pixel of a picture takes; null for pictures as large as their room. */
  scale: optional("size", SCALE),
  /** How many times a difference is drawn as large as it is. */
  gain: param("gain", GAIN, 1),
  /** A second step, or another run at the same step, beside the first in full screen; null shows one. */
  comparison: COMPARISON,
});
export type ImageView = ValueOf<typeof IMAGE_VIEW>;

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

/** Factors within their limits. */
export function tidyImageView(view: ImageView): ImageView {
  return { ...view, brightness: factorOf(view.brightness), contrast: factorOf(view.contrast) };
}

/** Without a number the pictures stay as they are. */
function factorOf(number: number): number {
  return Number.isFinite(number) ? Math.min(FACTOR_LIMIT, Math.max(0, number)) : 1;
}
