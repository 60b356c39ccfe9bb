// SPDX-License-Identifier: Apache-2.0
import type { Axis } from "../../core/scales/axis";
import type { CompareView } from "../../core/view/compareView";
import type { DataLineageView } from "../../core/view/dataLineageView";
import type { DashboardView } from "../../core/view/dashboardView";
import type { GraphView } from "../../core/view/graphView";
import type { Shape } from "../../core/series/histograms";
import type { Filter } from "../../core/text/textFilter";
import { tidyImageView, type ImageView } from "../../core/view/imageView";
import type { EmbeddingView } from "../../core/view/embeddingView";
import type { LandscapeView } from "../../core/view/landscapeView";
import type { MemoryView, StepsView } from "../../core/view/profileParts";
import type { ProfileView } from "../../core/view/profileView";
import type { DebugView } from "../../core/view/debugView";
import type { LineageView } from "../../core/view/lineageView";
import type { RunsView } from "../../core/view/runsView";
import { withOverrides, type ChartOverrides } from "../../core/view/chartSettings";
import { SCALAR_VIEW, type ScalarView } from "../../core/view/scalarView";
import { DEFAULT_VIEW, isLogTag, SMOOTHING_LIMIT, type RunInclusion, type ViewState } from "../../core/view/urlState";
import type { TableView } from "../../core/view/tableView";
import type { ValueView } from "../../core/view/valueView";
import { address } from "./address.svelte";
import { zooms } from "./zooms.svelte";

/** View state of the pages; all of it is in the URL. A change of one part leaves alone what depends on the others. */
class View {
  readonly #flipped: readonly string[] = $derived(address.state.flipped);
  readonly #closed: readonly string[] = $derived(address.state.closed);
  readonly #isAllClosed: boolean = $derived(address.state.isAllClosed);
  readonly runs: RunInclusion = $derived(address.state.runs);
  readonly filter: Filter = $derived(address.state.filter);
  readonly axis: Axis = $derived(address.state.axis);
  readonly smoothing: number = $derived(address.state.smoothing);
  readonly isLog: boolean = $derived(address.state.isLog);
  readonly fullTag: string | null = $derived(address.state.fullTag);
  readonly step: number | null = $derived(address.state.step);

  /** Id of the open report; null for the list of reports. */
  readonly report: string | null = $derived(address.state.report);
  readonly shape: Shape = $derived(address.state.shape);
  readonly scalars: ScalarView = $derived(address.state.scalars);
  readonly list: RunsView = $derived(address.state.list);
  readonly table: TableView = $derived(address.state.table);
  readonly lineage: LineageView = $derived(address.state.lineage);
  readonly comparing: CompareView = $derived(address.state.comparing);
  readonly values: ValueView = $derived(address.state.values);
  readonly pictures: ImageView = $derived(address.state.pictures);
  readonly dashboard: DashboardView = $derived(address.state.dashboard);
  readonly graphs: GraphView = $derived(address.state.graphs);
  readonly landscapes: LandscapeView = $derived(address.state.landscapes);
  readonly embeddings: EmbeddingView = $derived(address.state.embeddings);
  readonly profiles: ProfileView = $derived(address.state.profiles);
  readonly debug: DebugView = $derived(address.state.debug);
  readonly dataLineage: DataLineageView = $derived(address.state.dataLineage);

  /** Whether a chart has a table of its lines below it. */
  hasTable(chart: string): boolean {
    return this.scalars.own.get(chart)?.hasTable ?? this.scalars.hasTables;
  }

  isLogTag(tag: string): boolean {
    return isLogTag({ isLog: this.isLog, flipped: this.#flipped }, tag);
  }

  /** Whether a group of cards shows its head only. */
  isClosed(group: string, startsClosed = false): boolean {
    return this.#closed.includes(group) !== (this.#isAllClosed || startsClosed);
  }

  chooseRuns(runs: RunInclusion): void {
    address.change({ runs });
  }

  setFilter(filter: Filter): void {
    address.change({ filter });
  }

  /** Neither the filter nor a choice leaves a tag out. */
  showAllTags(): void {
    address.change({ filter: { text: "", isRegex: false }, scalars: { ...this.scalars, tags: null } });
  }

  /** Boxes are in the units of the axis, so another axis drops them. */
  setAxis(axis: Axis): void {
    zooms.restoreAll();
    address.change({ axis, scalars: { ...this.scalars, xTag: null, offsets: {} } });
  }

  setSmoothing(weight: number): void {
    if (Number.isFinite(weight)) address.change({ smoothing: Math.min(SMOOTHING_LIMIT, Math.max(0, weight)) });
  }

  setLog(isLog: boolean): void {
    address.change({ isLog, flipped: [] });
  }

  flipLog(tag: string): void {
    address.change({ flipped: toggled(address.state.flipped, tag) });
  }

  toggleClosed(group: string): void {
    address.change({ closed: toggled(address.state.closed, group) });
  }

  /** Shows the heads of all groups only, or all of their cards, also of groups that are closed at first. */
  closeAll(isAllClosed: boolean, closedAtFirst: readonly string[] = []): void {
    address.change({ isAllClosed, closed: isAllClosed ? [] : closedAtFirst });
  }

  setStep(step: number | null): void {
    address.change({ step });
  }

  setReport(report: string | null): void {
    address.change({ report });
  }

  setShape(shape: Shape): void {
    address.change({ shape });
  }

  setList(change: Partial<RunsView>): void {
    address.change({ list: { ...this.list, ...change } });
  }

  /** Removes every condition on runs. */
  clearRunFilter(): void {
    this.setList({ filter: { text: "", isRegex: false }, where: "", brushes: new Map() });
  }

  setTable(change: Partial<TableView>): void {
    address.change({ table: { ...this.table, ...change } });
  }

  setLineage(change: Partial<LineageView>): void {
    address.change({ lineage: { ...this.lineage, ...change } });
  }

  setValues(change: Partial<ValueView>): void {
    address.change({ values: { ...this.values, ...change } });
  }

  setImageView(change: Partial<ImageView>): void {
    address.change({ pictures: tidyImageView({ ...this.pictures, ...change }) });
  }

  setDashboard(change: Partial<DashboardView>): void {
    address.change({ dashboard: { ...this.dashboard, ...change } });
  }

  setGraphs(change: Partial<GraphView>): void {
    address.change({ graphs: { ...this.graphs, ...change } });
  }

  setLandscapes(change: Partial<LandscapeView>): void {
    address.change({ landscapes: { ...this.landscapes, ...change } });
  }

  setEmbeddings(change: Partial<EmbeddingView>): void {
    address.change({ embeddings: { ...this.embeddings, ...change } });
  }

  setProfiles(change: Partial<ProfileView>): void {
    address.change({ profiles: { ...this.profiles, ...change } });
  }

  setDebug(change: Partial<DebugView>): void {
    address.change({ debug: { ...this.debug, ...change } });
  }

  /** Other blocks are listed from their first page on. */
  setMemory(change: Partial<MemoryView>): void {
    const first = ["device", "time", "by", "group"].some((name) => name in change) ? { page: 0 } : {};
    this.setProfiles({ memory: { ...this.profiles.memory, ...first, ...change } });
  }

  setProfileSteps(change: Partial<StepsView>): void {
    this.setProfiles({ steps: { ...this.profiles.steps, ...change } });
  }

  setDataLineage(change: Partial<DataLineageView>): void {
    address.change({ dataLineage: { ...this.dataLineage, ...change } });
  }

  /** Heights of differences and of values have nothing in common: another baseline drops the boxes. */
  setComparing(change: Partial<CompareView>): void {
    if ("baseline" in change) zooms.restoreAll();
    address.change({ comparing: { ...this.comparing, ...change } });
  }

  /** Boxes are in the units of the horizontal axis: what changes its places drops them. */
  setScalars(change: Partial<ScalarView>): void {
    if ("xTag" in change || "alignsStarts" in change || "offsets" in change) zooms.restoreAll();
    address.change({ scalars: { ...this.scalars, ...change } });
  }

  /** Charts that were linked go back to the whole range. */
  setLinked(isLinked: boolean): void {
    zooms.restoreAll();
    address.change({ scalars: { ...this.scalars, isLinked } });
  }

  /** What one chart shows otherwise than the page. Other axes drop its box. */
  setOwn(key: string, change: Partial<ChartOverrides>): void {
    if ("axis" in change || "yAxes" in change) zooms.restore(key);
    address.change({ scalars: { ...this.scalars, own: withOverrides(this.scalars.own, key, change) } });
  }

  /** A table below every chart, or below none. */
  setTables(hasTables: boolean): void {
    const own = [...this.scalars.own.keys()].reduce((all, key) => withOverrides(all, key, { hasTable: null }), this.scalars.own);
    this.setScalars({ hasTables, own });
  }

  /** Keeps a run highlighted in all charts, or no longer. */
  toggleFocus(run: string): void {
    this.setScalars({ focus: toggled(this.scalars.focus, run) });
  }

  /** The step that is pointed at belongs to the chart that an alert led to. */
  setFull(tag: string | null): void {
    const scalars = tag === null ? { ...this.scalars, markedStep: null } : this.scalars;
    address.change({ fullTag: tag, scalars });
  }

  /** Everything back but the selection of runs and the composed charts. */
  restoreAll(): void {
    zooms.restoreAll();
    const { runs, fullTag, list, table, isAllClosed, closed, scalars }: ViewState = address.state;
    address.change({
      ...DEFAULT_VIEW,
      runs,
      list,
      table,
      fullTag,
      isAllClosed,
      closed,
      scalars: { ...SCALAR_VIEW.defaultValue, composed: scalars.composed },
    });
  }

  /** Reads the address again, after the browser went back or forward. */
  reread(): void {
    address.reread();
    zooms.reread();
  }
}

function toggled(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}

export const view = new View();
