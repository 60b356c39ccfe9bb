// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../../messages/message";
import { figureText, isShare } from "../../debugger/figureText";
import type { DebugPhase, DebugRole } from "../../debugger/tensorRoles";
import { formatValue } from "../../text/format";
import { isOverlay, type ItemValues, type Overlay } from "./overlay";
import type { ScopeTree } from "./scopeTree";

/** What debugging data say of the tensors of a graph: a figure of those with a role. */
export const TENSOR_OVERLAYS = ["outputs_non_finite", "outputs_max", "outputs_mean", "outputs_zeros", "gradients_mean", "updates"] as const;
export type TensorOverlay = (typeof TENSOR_OVERLAYS)[number];
export const OVERLAY_PHASES = ["forward", "backward"] as const satisfies readonly DebugPhase[];
export type OverlayPhase = (typeof OVERLAY_PHASES)[number];

export const FIGURE_OF_OVERLAY = {
  outputs_non_finite: { role: "output", figure: "non_finite_share" },
  outputs_max: { role: "output", figure: "max_abs" },
  outputs_mean: { role: "output", figure: "mean_abs" },
  outputs_zeros: { role: "output", figure: "zero_share" },
  gradients_mean: { role: "gradient", figure: "mean_abs" },
  updates: { role: "parameter", figure: "update_ratio" },
} as const satisfies Record<TensorOverlay, { role: DebugRole; figure: string }>;

export const isTensorOverlay = (color: string): color is TensorOverlay => (TENSOR_OVERLAYS as readonly string[]).includes(color);

export type AnyOverlay = Overlay | TensorOverlay;

export const isAnyOverlay = (color: string): color is AnyOverlay => isOverlay(color) || isTensorOverlay(color);

/** Whether an overlay has parts of all elements, from 0 to 1. */
export const isShareOverlay = (overlay: AnyOverlay): boolean => isTensorOverlay(overlay) && isShare(FIGURE_OF_OVERLAY[overlay].figure);

/** A value of an overlay in words. */
export const overlayText = (overlay: AnyOverlay, value: number): string =>
  isTensorOverlay(overlay) ? figureText(FIGURE_OF_OVERLAY[overlay].figure, value) : formatValue(value);

/** Figures of items of a graph at k steps: number `i * items + j` is that of item j at step i. */
export type GraphFigures = Pick<Message<"GraphFiguresHeader">, "item" | "value" | "bits">;

/** The values of all items of a graph at one of the steps. */
export function valuesOfItems({ parent }: ScopeTree, { item, value, bits }: GraphFigures, step: number): ItemValues {
  const found = { value: new Float64Array(parent.length).fill(Number.NaN), odd: new Uint8Array(parent.length), isEstimated: false };
  item.forEach((each, place) => {
    if (each >= parent.length) return;
    found.value[each] = value[step * item.length + place]!;
    found.odd[each] = bits[step * item.length + place]!;
  });
  return found;
}

/** Least and largest value above 0 of all items over all steps; null without any. */
export function rangeOfFigures({ value }: GraphFigures): readonly [number, number] | null {
  let [least, most] = [Infinity, 0];
  for (const each of value) {
    if (!(each > 0)) continue;
    least = Math.min(least, each);
    most = Math.max(most, each);
  }
  return most > 0 ? [least, most] : null;
}
