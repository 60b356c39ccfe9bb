// SPDX-License-Identifier: Apache-2.0
import { curveDrawing } from "../../charts/export/curveDrawing";
import { NO_LIMITS, curveOf, wholeRanges, type Curve } from "../../core/series/curve";
import { formatValue } from "../../core/text/format";
import { UNSMOOTHED } from "../../core/view/smoothing";
import type { CardContent } from "../../export/html/model";
import { t } from "../../i18n/i18n.svelte";
import { readLines } from "../../state/data/curveQuery";
import { tags as shownTags } from "../../state/data/tags.svelte";
import { colors } from "../../state/view/runColors.svelte";
import { savedTag } from "../previews/savedTag";

const SIZE = { width: 560, height: 280 };
const SCALING = { isLog: false, isLogX: false, ignoresOutliers: false, limits: NO_LIMITS };
const MOST_PEERS = 24;
const PIXELS = { own: 512, peer: 128 };

export const saved = savedTag(scalarContent);

/** The curve of a run over faint curves of other selected runs. */
async function scalarContent(run: string, tag: string, signal: AbortSignal): Promise<CardContent> {
  const others = (shownTags.list.find((one) => one.tag === tag)?.runs ?? []).filter((one) => one !== run).slice(0, MOST_PEERS);
  const [own] = await curvesOf([run], tag, PIXELS.own, signal);
  const peers = await curvesOf(others, tag, PIXELS.peer, signal);
  const curves = own ? [own] : [];
  const ranges = wholeRanges([...curves, ...peers], { ...SCALING, ignoresOutliers: true });
  const drawing = curveDrawing({
    curves,
    peers,
    axis: "step",
    scaling: SCALING,
    yAxes: [{ title: "", color: null }],
    ranges,
    size: SIZE,
  });
  const lines = curves.map(({ label, color, x, raw }) => ({ name: label, part: "", color, scale: 0, x, value: raw }));
  const last = own?.raw.at(-1);
  return {
    facts: [
      ...(last === undefined ? [] : [`${t("dashboard.last_value")} ${formatValue(last)}`]),
      ...(peers.length > 0 ? [t("dashboard.peers", { n: peers.length })] : []),
    ],
    parts: [{ kind: "curves", label: t("card.chart", { tag, n: 1 + peers.length }), drawing, lines }],
  };
}

async function curvesOf(runs: readonly string[], tag: string, pixels: number, signal: AbortSignal): Promise<Curve[]> {
  const lines = runs.map((run) => ({ run, tag, offset: 0 }));
  const series = await readLines(
    { lines, axis: "step", range: null, pixels, isLogX: false, smoothing: UNSMOOTHED, xTag: null, baseline: null, showsHidden: false },
    signal,
  );
  return series.filter(({ error }) => error === null).map((one) => curveOf(one, "step", colors.of(one.run)));
}
