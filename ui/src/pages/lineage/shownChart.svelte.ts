// SPDX-License-Identifier: Apache-2.0
import type { TitledPicture } from "../../charts/frame/picture";

/** The chart above the table of runs, for files of the page. */
class ShownChart {
  picture = $state.raw<TitledPicture | null>(null);
}

export const shownChart = new ShownChart();
