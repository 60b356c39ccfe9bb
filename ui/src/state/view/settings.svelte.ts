// SPDX-License-Identifier: Apache-2.0
import { innerWidth } from "svelte/reactivity/window";

import type { ChartSize } from "../../core/layout/cardGrid";
import type { RunGrouping } from "../../core/runs/runTree";
import type { TooltipOrder } from "../../core/view/tooltipRows";
import { setLanguage, type Language } from "../../i18n/i18n.svelte";
import { readStored, writeStored } from "./storage";

/** What names of runs are made of. */
export const RUN_NAMINGS = ["short", "path", "parameters"] as const;
export type RunNaming = (typeof RUN_NAMINGS)[number];

/** What the list of runs beside the pages is sorted by. */
export const RUN_SORTS = ["name", "result", "updated", "state"] as const;
export type RunSort = (typeof RUN_SORTS)[number];

export type Theme = "system" | "light" | "dark";

interface Stored {
  theme: Theme;
  language: Language;
  chartSize: ChartSize;
  /** State of the sidebar; null until the user sets it: open if there is room. */
  isSideOpen: boolean | null;
  /** Of the sidebar in CSS pixels; null until the user sets it. */
  sideWidth: number | null;
  /** Shows rare settings of the charts beside them. */
  isPanelOpen: boolean;
  /** The person used the switch of recorded layouts: no hint at it is needed. */
  hasUsedLayout: boolean;
  /** Of the rows of the tip under the cursor. */
  tooltipOrder: TooltipOrder;
  /** Of the list beside the pages. */
  runGrouping: RunGrouping;
  /** Field of the lineage that the list is grouped by instead; "" for none. */
  runField: string;
  runNaming: RunNaming;
  runSort: RunSort;
}

const KEY = "settings";
/** Pixels of a window from which on the sidebar leaves enough for the page. */
const SIDE_ROOM = 960;
const SIDE_WIDTH = 256;

function initial(): Stored {
  const language: Language = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  return {
    theme: "system",
    language,
    chartSize: "medium",
    isSideOpen: null,
    sideWidth: null,
    isPanelOpen: false,
    hasUsedLayout: false,
    tooltipOrder: "nearest",
    runGrouping: "none",
    runField: "",
    runNaming: "short",
    runSort: "name",
    ...readStored<Partial<Stored>>(KEY, {}),
  };
}

/** What a person prefers on this machine: kept in the browser, not in links. */
class Settings {
  #stored = $state<Stored>(initial());

  get theme(): Theme {
    return this.#stored.theme;
  }

  get language(): Language {
    return this.#stored.language;
  }

  get chartSize(): ChartSize {
    return this.#stored.chartSize;
  }

  get isSideOpen(): boolean {
    return this.#stored.isSideOpen ?? (innerWidth.current ?? 0) >= SIDE_ROOM;
  }

  get sideWidth(): number {
    return this.#stored.sideWidth ?? SIDE_WIDTH;
  }

  get isPanelOpen(): boolean {
    return this.#stored.isPanelOpen;
  }

  get hasUsedLayout(): boolean {
    return this.#stored.hasUsedLayout;
  }

  get tooltipOrder(): TooltipOrder {
    return this.#stored.tooltipOrder;
  }

  get runGrouping(): RunGrouping {
    return this.#stored.runGrouping;
  }

  get runField(): string {
    return this.#stored.runField;
  }

  get runNaming(): RunNaming {
    return this.#stored.runNaming;
  }

  get runSort(): RunSort {
    return this.#stored.runSort;
  }

  setTheme(theme: Theme): void {
    this.#change({ theme });
    void this.apply();
  }

  setLanguage(language: Language): void {
    this.#change({ language });
    void this.apply();
  }

  setChartSize(chartSize: ChartSize): void {
    this.#change({ chartSize });
  }

  setTooltipOrder(tooltipOrder: TooltipOrder): void {
    this.#change({ tooltipOrder });
  }

  setSideOpen(isSideOpen: boolean): void {
    this.#change({ isSideOpen });
  }

  setSideWidth(sideWidth: number | null): void {
    this.#change({ sideWidth });
  }

  setRunGrouping(runGrouping: RunGrouping): void {
    this.#change({ runGrouping, runField: "" });
  }

  setRunField(runField: string): void {
    this.#change({ runField });
  }

  setRunNaming(runNaming: RunNaming): void {
    this.#change({ runNaming });
  }

  setRunSort(runSort: RunSort): void {
    this.#change({ runSort });
  }

  setUsedLayout(): void {
    this.#change({ hasUsedLayout: true });
  }

  setPanelOpen(isPanelOpen: boolean): void {
    this.#change({ isPanelOpen });
  }

  /**
   * Writes theme and language onto the document; public/theme.js does the same before the first paint. The language
   * stays what it was if its texts can't be fetched.
   */
  async apply(): Promise<void> {
    const { theme, language } = this.#stored;
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    await setLanguage(language).catch(() => undefined);
  }

  #change(change: Partial<Stored>): void {
    this.#stored = { ...this.#stored, ...change };
    writeStored(KEY, this.#stored);
  }
}

export const settings = new Settings();
