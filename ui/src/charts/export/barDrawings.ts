// SPDX-License-Identifier: Apache-2.0
import type { Drawing } from "../../core/layout/vectorDrawing";
import { waveform } from "../../core/series/waveform";
import type { Size } from "../frame/plotFrame";
import { paintWaveform } from "../curves/paintWaveform";
import { SvgContext } from "../frame/svgContext";
import { bucketFrame, paintBuckets, type Buckets } from "../histograms/paintBuckets";

/** One histogram, a bar for every bucket. */
export function bucketDrawing(buckets: Buckets, size: Size): Drawing {
  const surface = new SvgContext();
  paintBuckets({ surface, ratio: 1, ink: (color) => color, frame: bucketFrame(buckets, size) }, buckets);
  return { ...size, body: surface.body(), plot: null };
}

/** A sound in one color. */
export function waveDrawing(samples: Float32Array, color: string, size: Size): Drawing {
  const surface = new SvgContext();
  paintWaveform(surface, waveform(samples, size.width), size, 1, () => color);
  return { ...size, body: surface.body(), plot: null };
}
