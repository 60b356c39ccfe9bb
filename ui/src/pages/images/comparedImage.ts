// SPDX-License-Identifier: Apache-2.0
import type { PlacedImage } from "./placedImage";

/** An image of a comparison and its label. */
export interface ComparedImage {
  placed: PlacedImage;
  label: string;
}
