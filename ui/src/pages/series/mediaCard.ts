// SPDX-License-Identifier: Apache-2.0
import type { SeriesItem } from "../../state/data/seriesItem";

/** What a card of media is given. */
export interface MediaCardProps {
  item: SeriesItem;
  /** One of several runs side by side that fill the page. */
  isPanel?: boolean;
  /** Called with the height of what a card shows, where that is known. */
  onheight?: ((height: number) => void) | undefined;
}
