// SPDX-License-Identifier: Apache-2.0
import { CardFrame, CardsError, type Wanted } from "../../export/frame/cardFrame";
import type { CardsProblem, ReadCards } from "../../export/frame/messages";
import { currentLanguage } from "../../i18n/i18n.svelte";
import type { ReportBlock } from "../../state/annotations/annotations.svelte";
import { settings } from "../../state/view/settings.svelte";

/** The cards of one block, as they were last read. */
export class BlockReader {
  value = $state.raw<ReadCards | null>(null);
  problem = $state.raw<CardsProblem | null>(null);
  isReading = $state(false);
  /** The block is near the window. */
  isNear = $state(false);
  /** Data came after the last read. */
  isStale = $state(false);
  /** What was read, or is being read. */
  #key = "";
  #reading: Promise<void> = Promise.resolve();
  readonly #frame: CardFrame;

  constructor(frame: CardFrame) {
    this.#frame = frame;
  }

  /** Reads what the block shows now, unless it is the same as before and nothing is new. */
  async bring(block: ReportBlock): Promise<void> {
    const wanted = wantedOf(block);
    const key = JSON.stringify([wanted, currentLanguage(), settings.theme]);
    if (key !== this.#key || this.isStale) {
      if (key !== this.#key) this.problem = null;
      this.#key = key;
      this.isStale = false;
      this.#reading = this.#read(wanted, key);
    }
    await this.#reading;
  }

  retry(block: ReportBlock): void {
    this.isStale = true;
    void this.bring(block);
  }

  async #read(wanted: Wanted, key: string): Promise<void> {
    this.isReading = true;
    const result = await this.#frame.read(wanted, () => this.isNear).catch((error: unknown) => error as CardsError);
    if (key !== this.#key) return this.#reading;
    this.isReading = false;
    if (result instanceof CardsError) {
      this.problem = result.problem;
      if (result.problem.isGone) this.value = null;
    } else {
      this.value = result;
      this.problem = null;
    }
  }
}

/** Readers of all blocks of a report. */
export class Readers {
  readonly frame = new CardFrame();
  readonly #readers = new Map<string, BlockReader>();

  of(block: string): BlockReader {
    const known = this.#readers.get(block) ?? new BlockReader(this.frame);
    this.#readers.set(block, known);
    return known;
  }

  /** Reads the blocks that were not near yet. */
  async bringAll(blocks: readonly ReportBlock[]): Promise<void> {
    await Promise.all(blocks.map((block) => (block.address === null ? null : this.of(block.id).bring(block))));
  }
}

/** Runs that the addresses of blocks name. */
export function runsOf(blocks: readonly ReportBlock[]): string[] {
  return [...new Set(blocks.flatMap((block) => new URLSearchParams(addressOf(block).split("?")[1] ?? "").getAll("run")))];
}

/** A pinned block is read at the address that was pinned. */
export function addressOf({ address, pinned }: ReportBlock): string {
  return pinned ?? address ?? "/";
}

function wantedOf(block: ReportBlock): Wanted {
  return { address: addressOf(block), card: block.card, isHalf: block.is_half };
}
