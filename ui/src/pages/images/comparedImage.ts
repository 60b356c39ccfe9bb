// SPDX-License-Identifier: Apache-2.0
import type { PlacedImage } from "./placedImage";

/** A picture of a comparison and what stands beside it. */
export interface ComparedImage {
  placed: PlacedImage;
  label: string;
}
