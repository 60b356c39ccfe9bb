// SPDX-License-Identifier: Apache-2.0
import { pixel, type Drawing } from "../../core/layout/vectorDrawing";
import { formatTicks } from "../../core/text/format";
import { escapeXml } from "../../core/text/escapeXml";
import { linearTicks } from "../../core/scales/ticks";
import { columnSpan, waveform } from "../../core/series/waveform";
import type { Size } from "../frame/plotFrame";

const [LEFT, RIGHT, TOP, BOTTOM] = [56, 12, 8, 24];
/** Pixels for a label. */
const [ACROSS, UP] = [72, 40];

/** One histogram, a bar for every bucket. */
export function bucketDrawing(edges: readonly number[], counts: readonly number[], size: Size): Drawing {
  const [low, high, most] = [edges[0] ?? 0, edges.at(-1) ?? 1, Math.max(1, ...counts)];
  const area = { width: size.width - LEFT - RIGHT, height: size.height - TOP - BOTTOM };
  const x = (value: number): number => LEFT + (high > low ? (value - low) / (high - low) : 0) * area.width;
  const y = (count: number): number => TOP + (1 - count / most) * area.height;
  const bars = counts.flatMap((count, bucket) => {
    const [from, to] = [x(edges[bucket]!), x(edges[bucket + 1]!)];
    return count > 0
      ? [
          `M${pixel(from + 0.5)} ${TOP + area.height}V${pixel(Math.min(y(count), TOP + area.height - 1))}H${pixel(Math.max(from + 1.5, to - 0.5))}V${TOP + area.height}z`,
        ]
      : [];
  });
  const across = linearTicks([low, high], Math.max(2, Math.floor(area.width / ACROSS)));
  const up = linearTicks([0, most], Math.max(2, Math.floor(area.height / UP))).filter(Number.isInteger);
  const [bottomLabels, upLabels] = [formatTicks(across), formatTicks(up)];
  const body = [
    ...up.map(
      (tick, index) =>
        `<path stroke="var(--grid-line)" d="M${LEFT} ${pixel(y(tick))}H${LEFT + area.width}"/>${label(LEFT - 6, y(tick) + 4, upLabels[index]!, "end")}`,
    ),
    `<path d="${bars.join("")}" fill="var(--accent)" fill-opacity="0.72"/>`,
    ...across.map((tick, index) => label(x(tick), size.height - 8, bottomLabels[index]!, "middle")),
  ];
  return { ...size, body: body.join(""), plot: null };
}

/** A sound from its begin to its end: what lies between the lowest and the highest sample of each pixel. */
export function waveDrawing(samples: Float32Array, color: string, size: Size): Drawing {
  const { low, high } = waveform(samples, size.width);
  const each = size.width / low.length;
  const boxes = Array.from(low, (least, column) => {
    const { top, bottom } = columnSpan(least, high[column]!, size.height, 1);
    return `M${pixel(column * each)} ${pixel(top)}h${pixel(each)}V${pixel(bottom)}h${pixel(-each)}z`;
  });
  return { ...size, body: `<path d="${boxes.join("")}" fill="${color}"/>`, plot: null };
}

function label(x: number, y: number, text: string, anchor: string): string {
  return `<text x="${pixel(x)}" y="${pixel(y)}" text-anchor="${anchor}" fill="var(--ink-soft)">${escapeXml(text)}</text>`;
}
