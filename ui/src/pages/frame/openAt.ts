// SPDX-License-Identifier: Apache-2.0
/** Links between pages at a step of a training. */
import { DEBUG_VIEW, openedHit } from "../../core/view/debugView";
import { zoomTo } from "../../core/scales/zoom";
import { isHit, type Alert, type HitAlert } from "../../state/live/alerts.svelte";
import { pageLocation } from "../../state/view/location.svelte";
import { selection } from "../../state/view/selection.svelte";
import { view } from "../../state/view/view.svelte";
import { zooms } from "../../state/view/zooms.svelte";
import { FAILED } from "./alertWords";

const OF_HISTOGRAMS = ["vanishing", "exploding", "dead"];

/** All curves over steps, with the step marked. */
export function openCurvesAt(step: number): void {
  const query = new URLSearchParams(pageLocation.query);
  for (const name of ["axis", "x_tag", "full"]) query.delete(name);
  query.set("at", String(step));
  pageLocation.go(`/scalars?${query}`);
}

/** The log of a run at the time of a step, without a filter. */
export function openLogsAt(run: string, step: number): void {
  const query = new URLSearchParams(pageLocation.query);
  for (const name of [...query.keys()]) if (/^log(_|$)/.test(name)) query.delete(name);
  query.set("log", run);
  query.set("log_step", String(step));
  pageLocation.go(`/logs?${query}`);
}

/** The hits of a watchpoint at a step, by default the first one of the alert. */
export function openHit({ run, step, hits }: HitAlert, at = step): void {
  if (!selection.isShown(run)) selection.toggle(run);
  pageLocation.open("/debugger");
  const { source, watchpoint: text, rank, row, recommendation } = hits;
  view.setDebug(
    openedHit(view.debug, {
      ...{ chosen: { run, source }, text, isRecommended: recommendation === text },
      ...{ rank, step: at, row: at === step ? row : null },
    }),
  );
}

/** Why a run failed; the selection of runs stays. */
export function openFindings(run: string): void {
  if (!selection.isShown(run)) selection.toggle(run);
  pageLocation.open("/debugger");
  view.setDebug({ ...DEBUG_VIEW.defaultValue, chosen: { run, source: "." } });
}

/** The chart of the tag, zoomed to where the alert began, with the step marked; the hit of a watchpoint; or why a run failed. */
export function openAlert(alert: Alert): void {
  if (isHit(alert)) return openHit(alert);
  const { run, tag, rule, step, around } = alert;
  if (rule === FAILED) return openFindings(run);
  if (!selection.isShown(run)) selection.toggle(run);
  pageLocation.open(OF_HISTOGRAMS.includes(rule) ? "/histograms" : "/scalars");
  if (tag === "") return;
  view.setAxis("step");
  view.setScalars({ markedStep: step });
  view.setFull(tag);
  if (around) zooms.into(tag, zoomTo(around, view.isLogTag(tag)));
}
