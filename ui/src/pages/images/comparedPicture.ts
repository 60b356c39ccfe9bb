// SPDX-License-Identifier: Apache-2.0
import type { PlacedPicture } from "./placedPicture";

/** A picture of a comparison and what stands beside it. */
export interface ComparedPicture {
  placed: PlacedPicture;
  label: string;
}
