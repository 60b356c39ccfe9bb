// SPDX-License-Identifier: Apache-2.0
import type { CardsAnswer, CardsProblem, CardsQuery, ReadCards } from "./messages";

export type Wanted = Omit<CardsQuery, "id">;

/** Why a card could not be read. */
export class CardsError extends Error {
  readonly problem: CardsProblem;

  constructor(problem: CardsProblem) {
    super(problem.what);
    this.problem = problem;
  }
}

interface Job extends Wanted {
  isUrgent: () => boolean;
  resolve: (value: ReadCards) => void;
  reject: (error: CardsError) => void;
}

/** A frame of this viewer that opens one page after the other, and reads their cards for a report. */
export class CardFrame {
  #frame: HTMLIFrameElement | null = null;
  #isReady = false;
  readonly #waiting: Job[] = [];
  #current: Job | null = null;
  #id = 0;

  /** Urgent cards, those near the window, are read before the others. */
  read(wanted: Wanted, isUrgent: () => boolean): Promise<ReadCards> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...wanted, isUrgent, resolve, reject });
      this.#next();
    });
  }

  /** Attach to the frame. A new frame begins again with the card that the last one was reading. */
  attach = (frame: HTMLIFrameElement): (() => void) => {
    const heard = ({ source, origin, data }: MessageEvent<CardsAnswer>): void => {
      if (source === frame.contentWindow && origin === location.origin) this.#heard(data);
    };
    addEventListener("message", heard);
    this.#frame = frame;
    return () => {
      removeEventListener("message", heard);
      this.#frame = null;
      this.#isReady = false;
      if (this.#current) this.#waiting.unshift(this.#current);
      this.#current = null;
    };
  };

  #heard(answer: CardsAnswer): void {
    if (answer.id === null) this.#isReady = true;
    else if (answer.id === this.#id && this.#current) {
      const { resolve, reject } = this.#current;
      this.#current = null;
      if ("value" in answer) resolve(answer.value);
      else reject(new CardsError(answer.problem));
    }
    this.#next();
  }

  #next(): void {
    if (!this.#isReady || this.#current || this.#waiting.length === 0) return;
    const urgent = this.#waiting.findIndex(({ isUrgent }) => isUrgent());
    const [job] = this.#waiting.splice(Math.max(0, urgent), 1);
    this.#current = job!;
    const { address, card, isHalf } = job!;
    const query: CardsQuery = { id: ++this.#id, address, card, isHalf };
    this.#frame!.contentWindow!.postMessage(query, location.origin);
  }
}
