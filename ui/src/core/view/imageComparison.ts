// SPDX-License-Identifier: Apache-2.0
/** How two steps of an image are shown at once. */
export type Comparison = "side" | "swipe" | "blink" | "difference";

export const COMPARISONS: readonly Comparison[] = ["side", "swipe", "blink", "difference"];
