// SPDX-License-Identifier: Apache-2.0
import type { ReportBlock } from "../../state/annotations/annotations.svelte";
import type { CardContent, DrawnCard, NamedRun } from "../html/model";

/** Asks a frame of this viewer for cards of one of its pages. */
export interface CardsQuery {
  id: number;
  address: string;
  /** One card of the page; null for all. */
  card: ReportBlock["card"];
  isHalf: boolean;
}

export interface ReadCard {
  card: DrawnCard;
  content: CardContent;
}

/** Cards of a page as they are now. */
export interface ReadCards {
  cards: readonly ReadCard[];
  runs: readonly NamedRun[];
  /** CSS filter of their pictures. */
  filter: string | undefined;
  /** Address with the same runs, step and range, whatever data come; null where nothing keeps the cards as they are. */
  pinned: string | null;
  /** An address would keep them, but it is longer than the server takes. */
  isTooLong: boolean;
}

/** Why there are no cards; `isGone`: the page has no such card. */
export interface CardsProblem {
  what: string;
  remedy: string;
  isGone: boolean;
}

/** `id` null: the frame takes queries now. */
export type CardsAnswer = { id: null } | { id: number; value: ReadCards } | { id: number; problem: CardsProblem };
