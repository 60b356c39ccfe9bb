// SPDX-License-Identifier: Apache-2.0
import type { ChartSize } from "../core/grid";
import type { RunGrouping } from "../core/runTree";
import { setLanguage, type Language } from "../i18n/i18n.svelte";
import { readStored, writeStored } from "./storage";

export type Theme = "system" | "light" | "dark";

interface Stored {
  theme: Theme;
  language: Language;
  chartSize: ChartSize;
  isSideOpen: boolean;
  /** Rare settings of the charts stand beside them. */
  isPanelOpen: boolean;
  /** Of the list beside the pages. */
  runGrouping: RunGrouping;
  /** Field of the lineage that the list is grouped by instead; "" for none. */
  runField: string;
}

const KEY = "settings";

function initial(): Stored {
  const language: Language = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  return { theme: "system", language, chartSize: "medium", isSideOpen: window.innerWidth >= 960, isPanelOpen: false, runGrouping: "none", runField: "", ...readStored<Partial<Stored>>(KEY, {}) };
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
    return this.#stored.isSideOpen;
  }

  get isPanelOpen(): boolean {
    return this.#stored.isPanelOpen;
  }

  get runGrouping(): RunGrouping {
    return this.#stored.runGrouping;
  }

  get runField(): string {
    return this.#stored.runField;
  }

  setTheme(theme: Theme): void {
    this.#change({ theme });
    this.apply();
  }

  setLanguage(language: Language): void {
    this.#change({ language });
    this.apply();
  }

  setChartSize(chartSize: ChartSize): void {
    this.#change({ chartSize });
  }

  setSideOpen(isSideOpen: boolean): void {
    this.#change({ isSideOpen });
  }

  setRunGrouping(runGrouping: RunGrouping): void {
    this.#change({ runGrouping, runField: "" });
  }

  setRunField(runField: string): void {
    this.#change({ runField });
  }

  setPanelOpen(isPanelOpen: boolean): void {
    this.#change({ isPanelOpen });
  }

  /** Writes theme and language onto the document; public/theme.js does the same before the first paint. */
  apply(): void {
    const { theme, language } = this.#stored;
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    setLanguage(language);
  }

  #change(change: Partial<Stored>): void {
    this.#stored = { ...this.#stored, ...change };
    writeStored(KEY, this.#stored);
  }
}

export const settings = new Settings();
