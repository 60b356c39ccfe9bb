// SPDX-License-Identifier: Apache-2.0
import type { Dash } from "../../core/series/dashes";
import type { Drawing, DrawnLine } from "../../core/layout/vectorDrawing";
import type { Box } from "../../core/scales/zoom";
import type { TableCell } from "../../core/tables/json";
import type { ViewState } from "../../core/view/urlState";

/** A page of the viewer, or a report of its cards, as a file: what it is about, and cards that are read one after the other while it is written. */
export interface ViewPlan {
  /** A word for the name of the file. */
  page: string;
  title: string;
  /** The shown runs, with what a reader must know of each. */
  runs: readonly NamedRun[];
  settings: readonly Setting[];
  sections: readonly PlannedSection[];
  /** CSS filter of all pictures; absent where they are shown as they are. */
  filter?: string | undefined;
  /** What keeps all cards as they are when new data come. */
  pin?: CardPin | undefined;
}

export interface NamedRun {
  name: string;
  /** A CSS color, tokens allowed. */
  color: string;
  /** Of its lines. */
  dash?: Dash;
  /** How the run was doing, in words. */
  state: string;
}

/** How the view was set, in words. */
export interface Setting {
  name: string;
  value: string;
}

export interface PlannedSection {
  /** Empty for a block of a report. */
  title: string;
  /** CSS filter of the pictures of this section. */
  filter?: string | undefined;
  /** Beside another one, where there is room. */
  isHalf?: boolean;
  cards: readonly PlannedCard[];
}

/** The head of a card. */
export interface DrawnCard {
  title: string;
  run: Pick<NamedRun, "name" | "color"> | null;
  /** As wide as the page rather than beside others. */
  isWide?: boolean;
  /** False for a title that is not a tag: a slash in it separates no prefix. */
  hasPrefix?: boolean;
  /** Text without a frame and a title. */
  isProse?: boolean;
}

export interface PlannedCard extends DrawnCard {
  /** Reads what the card shows. Raises what the requests raise, and what an aborted signal raises. */
  make: (signal: AbortSignal) => Promise<CardContent>;
}

export interface CardContent {
  /** Said beside the title: step, time, size, what is left out. */
  facts: readonly string[];
  parts: readonly Part[];
  /** What keeps the card as it is when new data come; absent where nothing does. */
  pin?: CardPin | undefined;
}

/** The step that a card shows, the box of its chart, or what else of the address says which data it shows. */
export type CardPin = { step: number } | { chart: string; box: Box } | { view: Partial<ViewState> };

export type Part = CurvesPart | DrawingPart | SurfacePart | ImagePart | CellsPart | TablePart | TextPart | AudioPart | NoticePart;

/** Curves whose values can be pointed at. */
export interface CurvesPart {
  kind: "curves";
  label: string;
  drawing: Drawing;
  lines: readonly DrawnLine[];
}

export interface DrawingPart {
  kind: "drawing";
  label: string;
  drawing: Drawing;
  /** As large as it is drawn, where there is room; others fill their card. */
  isNatural?: boolean;
  /** Its numbers, for programs. */
  values: unknown;
}

/** Loss landscapes that a reader can turn. Without the script of the file, and in print, they are a drawing. */
export interface SurfacePart {
  kind: "surface";
  label: string;
  drawing: Drawing;
  look: SurfaceLook;
  /** The landscapes as `landscapeValues` has them. */
  values: readonly unknown[];
}

/** How the script of the file draws landscapes. */
export interface SurfaceLook {
  camera: { azimuth: number; elevation: number; zoom: number };
  height: number;
  light: number;
  opacity: number;
  /** Number of contour lines on the surface. */
  levels: number;
  hasPath: boolean;
  /** Names of both directions and of the loss, and how the surface is moved. */
  names: readonly [string, string, string];
  hint: string;
  /**
   * Of each landscape: its heights, its colors, the radii of its checkpoints, and the color of its path. Null for the colors of one whose
   * surface is that of another, and for the color of a path that is not told from others.
   */
  surfaces: readonly {
    scale: { low: number; high: number; isLog: boolean };
    stops: readonly (readonly [number, number, number])[] | null;
    radii: readonly number[];
    path: string | null;
  }[];
}

/** Layout of images: all side by side, or two compared. */
export type Arrangement = "grid" | "side" | "swipe" | "blink" | "difference";

export interface ImagePart {
  kind: "pictures";
  pictures: readonly { source: string; label: string }[];
  arrangement: Arrangement;
}

/** A picture of cells in whole pixels, with colors for either theme, and what is drawn over it. */
export interface CellsPart {
  kind: "cells";
  label: string;
  light: string;
  dark: string;
  /** Pixels of the picture across and down. */
  cells: readonly [number, number];
  /** Elements of an SVG over the picture, whose sides are 1 long. */
  over: string;
  /** What the colors mean: the ends of the map, and colors of their own. */
  legend: { low: string; high: string; marks: readonly { color: string; name: string }[] } | null;
  values: unknown;
}

export interface TablePart {
  kind: "table";
  label: string;
  columns: readonly TableColumn[];
  rows: readonly TableRow[];
  /** Only its name is seen until a reader opens it. */
  isFolded?: boolean;
}

export interface TableColumn {
  title: string;
  /** Written above the title, for neighbors with the same word once. */
  group?: string;
  isNumber: boolean;
}

export interface TableRow {
  /** That of the run of the row. */
  color: string | null;
  /** The first cell names the row; `text` is how a reader sees it. */
  cells: readonly { text: string; value: TableCell }[];
}

export interface TextPart {
  kind: "text";
  text: string;
  /** The same as elements that are known to be harmless; null for letters as they are. */
  markup: string | null;
}

export interface AudioPart {
  kind: "sound";
  label: string;
  drawing: Drawing | null;
  /** Data URL; null where the sound is too large for the file. */
  source: string | null;
}

export interface NoticePart {
  kind: "notice";
  tone: "note" | "bad";
  text: string;
}
