// SPDX-License-Identifier: Apache-2.0
import type { Axis } from "../core/axis";
import type { CompareView } from "../core/compareView";
import type { DashboardView } from "../core/dashboardView";
import type { Shape } from "../core/histograms";
import type { Filter } from "../core/match";
import type { RunsView } from "../core/runsView";
import { defaultScalarView, type ScalarView } from "../core/scalarView";
import { defaultView, FACTOR_LIMIT, queryToView, SMOOTHING_LIMIT, viewToQuery, type RunChoice, type ViewState } from "../core/urlState";
import type { ValueView } from "../core/valueView";
import { shownBox, stepBack, tidyBox, UNZOOMED, zoomInto, type Box, type ZoomStack } from "../core/zoom";
import { place } from "./place.svelte";

/** What the pages show. Everything but the zoom of small cards stands in the address bar. */
class View {
  #state = $state.raw<ViewState>(queryToView(place.query));
  #zooms = $state.raw<ReadonlyMap<string, ZoomStack>>(new Map());

  constructor() {
    this.#openZoomOfLink();
  }

  get runs(): RunChoice {
    return this.#state.runs;
  }

  get filter(): Filter {
    return this.#state.filter;
  }

  get axis(): Axis {
    return this.#state.axis;
  }

  get smoothing(): number {
    return this.#state.smoothing;
  }

  get isLog(): boolean {
    return this.#state.isLog;
  }

  get fullTag(): string | null {
    return this.#state.fullTag;
  }

  get step(): number | null {
    return this.#state.step;
  }

  get picture(): number {
    return this.#state.picture;
  }

  get brightness(): number {
    return this.#state.brightness;
  }

  get contrast(): number {
    return this.#state.contrast;
  }

  get isOriginal(): boolean {
    return this.#state.isOriginal;
  }

  get comparison(): ViewState["comparison"] {
    return this.#state.comparison;
  }

  get shape(): Shape {
    return this.#state.shape;
  }

  get scalars(): ScalarView {
    return this.#state.scalars;
  }

  get list(): RunsView {
    return this.#state.list;
  }

  get comparing(): CompareView {
    return this.#state.comparing;
  }

  get values(): ValueView {
    return this.#state.values;
  }

  get dashboard(): DashboardView {
    return this.#state.dashboard;
  }

  setDashboard(change: Partial<DashboardView>): void {
    this.#change({ dashboard: { ...this.#state.dashboard, ...change } });
  }

  setValues(change: Partial<ValueView>): void {
    this.#change({ values: { ...this.#state.values, ...change } });
  }

  isLogTag(tag: string): boolean {
    return this.#state.isLog !== this.#state.flipped.includes(tag);
  }

  zoomOf(tag: string): ZoomStack {
    return this.#zooms.get(tag) ?? UNZOOMED;
  }

  chooseRuns(runs: RunChoice): void {
    this.#change({ runs });
  }

  setFilter(filter: Filter): void {
    this.#change({ filter });
  }

  /** Boxes are in the units of the axis, so another axis drops them. */
  setAxis(axis: Axis): void {
    this.#zooms = new Map();
    this.#change({ axis, scalars: { ...this.#state.scalars, xTag: null, offsets: {} } });
  }

  setSmoothing(weight: number): void {
    if (Number.isFinite(weight)) this.#change({ smoothing: Math.min(SMOOTHING_LIMIT, Math.max(0, weight)) });
  }

  setLog(isLog: boolean): void {
    this.#change({ isLog, flipped: [] });
  }

  flipLog(tag: string): void {
    this.#change({ flipped: toggled(this.#state.flipped, tag) });
  }

  setList(change: Partial<RunsView>): void {
    this.#change({ list: { ...this.#state.list, ...change } });
  }

  /** Heights of differences and of values have nothing in common: another baseline drops the boxes. */
  setComparing(change: Partial<CompareView>): void {
    if ("baseline" in change) this.#zooms = new Map();
    this.#change({ comparing: { ...this.#state.comparing, ...change } });
  }

  /** Boxes are in the units of the horizontal axis: what changes its places drops them. */
  setScalars(change: Partial<ScalarView>): void {
    if ("xTag" in change || "alignsStarts" in change || "offsets" in change) this.#zooms = new Map();
    this.#change({ scalars: { ...this.#state.scalars, ...change } });
  }

  /** The step that is pointed at belongs to the chart that an alert led to. */
  setFull(tag: string | null): void {
    const scalars = tag === null ? { ...this.#state.scalars, markedStep: null } : this.#state.scalars;
    this.#change({ fullTag: tag, scalars });
  }

  setStep(step: number | null): void {
    this.#change({ step });
  }

  setPicture(picture: number): void {
    this.#change({ picture });
  }

  setBrightness(factor: number): void {
    if (Number.isFinite(factor)) this.#change({ brightness: Math.min(FACTOR_LIMIT, Math.max(0, factor)) });
  }

  setContrast(factor: number): void {
    if (Number.isFinite(factor)) this.#change({ contrast: Math.min(FACTOR_LIMIT, Math.max(0, factor)) });
  }

  setOriginal(isOriginal: boolean): void {
    this.#change({ isOriginal });
  }

  compare(comparison: ViewState["comparison"]): void {
    this.#change({ comparison });
  }

  setShape(shape: Shape): void {
    this.#change({ shape });
  }

  zoom(tag: string, box: Box): void {
    this.#setZoom(tag, zoomInto(this.zoomOf(tag), tidyBox(box, this.isLogTag(tag))));
  }

  zoomBack(tag: string): void {
    this.#setZoom(tag, stepBack(this.zoomOf(tag)));
  }

  restore(tag: string): void {
    this.#setZoom(tag, UNZOOMED);
  }

  /** Everything back but the selection of runs and the composed charts. */
  restoreAll(): void {
    this.#zooms = new Map();
    const { runs, fullTag, scalars, list } = this.#state;
    this.#change({ ...defaultView(), runs, list, fullTag, scalars: { ...defaultScalarView(), composed: scalars.composed } });
  }

  /** Reads the address bar again, after the browser went back or forward. */
  reread(): void {
    this.#state = queryToView(place.query);
    this.#zooms = new Map();
    this.#openZoomOfLink();
  }

  #openZoomOfLink(): void {
    const { fullTag, zoom } = this.#state;
    if (fullTag !== null && zoom) this.#zooms = new Map([[fullTag, [zoom]]]);
  }

  #setZoom(tag: string, stack: ZoomStack): void {
    this.#zooms = new Map(this.#zooms).set(tag, stack);
    this.#change({});
  }

  #change(change: Partial<ViewState>): void {
    const next = { ...this.#state, ...change };
    next.zoom = next.fullTag === null ? null : shownBox(this.zoomOf(next.fullTag));
    this.#state = next;
    place.describe(viewToQuery(next));
  }
}

function toggled(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}

export const view = new View();
