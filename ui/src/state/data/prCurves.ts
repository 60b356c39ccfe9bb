// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { flattened, message } from "../../api/decode";
import type { KnownSeries } from "../../api/routes";
import { completedPr, type PrSeries } from "../../core/series/prCurve";
import { batched } from "../requests/batched";
import { ReasonError } from "../requests/problem";
import { seriesSource } from "./seriesSource";

export type { PrSeries };

/** The last step up to a number, the first when all are later; or the newest. */
export type PrStep = number | "newest";

/** Visible cards request the curves of all of their runs in one request. */
const ask = batched<KnownSeries & { step: PrStep }, PrSeries>({
  alike: () => "",
  most: 400,
  send: async (series, signal) =>
    (await message<"PrCurvesHeader">(request("/api/pr_curves", { body: { series }, signal }))).series.map(flattened),
});

export const prCurveSource = seriesSource<PrSeries, { step: PrStep }>({
  kind: "pr_curve",
  read: async (query, signal, known) => {
    const answer = await ask({ ...query, since: known?.cursor ?? null }, signal);
    if (answer.error !== null) throw new ReasonError(answer.error);
    return completedPr(answer, known);
  },
  bytes: ({ steps, threshold }) => 8 * steps.length + 56 * threshold.length,
});
