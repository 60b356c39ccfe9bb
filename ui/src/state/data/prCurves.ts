// SPDX-License-Identifier: Apache-2.0
import { fetchPrCurves, type PrQuery, type PrStep } from "../../api/prCurves";
import { completedPr, type PrSeries } from "../../core/series/prCurve";
import { batched } from "../requests/batched";
import { ReasonError } from "../requests/problem";
import { seriesSource } from "./seriesSource";

export type { PrSeries, PrStep };

/** Visible cards request the curves of all of their runs in one request. */
const ask = batched<PrQuery, PrSeries>({ alike: () => "", most: 400, send: fetchPrCurves });

export const prCurveSource = seriesSource<PrSeries, { step: PrStep }>({
  kind: "pr_curve",
  read: async (query, signal, known) => {
    const answer = await ask({ ...query, since: known?.cursor ?? null }, signal);
    if (answer.error !== null) throw new ReasonError(answer.error);
    return completedPr(answer, known);
  },
  bytes: ({ steps, threshold }) => 8 * steps.length + 56 * threshold.length,
});
