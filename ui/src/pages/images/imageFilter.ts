// SPDX-License-Identifier: Apache-2.0
import type { ImageView } from "../../core/view/imageView";

/** The CSS filter of pictures of the page; undefined when they are shown as they are. */
export function imageFilter({ brightness, contrast, gain }: ImageView, isDifference = false): string | undefined {
  const steps = [
    ...(isDifference && gain !== 1 ? [`brightness(${gain})`] : []),
    ...(brightness === 1 && contrast === 1 ? [] : [`brightness(${brightness}) contrast(${contrast})`]),
  ];
  return steps.length === 0 ? undefined : steps.join(" ");
}
