// SPDX-License-Identifier: Apache-2.0
/** Milliseconds of a frame that painting may take: the rest is for the pointer and for scrolling. */
const BUDGET_MS = 9;

/** Painting cut into steps; the next step is done whenever there is time. */
export class PaintTask {
  readonly #steps: Iterator<void>;
  readonly #done: () => void;
  isOver = false;

  constructor(steps: Iterator<void>, done: () => void) {
    this.#steps = steps;
    this.#done = done;
  }

  /** Works until the deadline (a time of performance.now()) or the end. */
  work(deadline: number): void {
    while (!this.isOver) {
      if (this.#steps.next().done) {
        this.isOver = true;
        this.#done();
      } else if (performance.now() >= deadline) return;
    }
  }

  cancel(): void {
    this.isOver = true;
  }
}

let waiting: PaintTask[] = [];
let frame: number | null = null;
let frameDeadline = 0;

/** Starts at once while this frame has time left, and continues in the next frames: hundreds of curves never freeze the page. */
export function schedule(task: PaintTask): void {
  const now = performance.now();
  if (waiting.length === 0) {
    if (frame === null) frameDeadline = now + BUDGET_MS;
    task.work(frameDeadline);
  }
  if (!task.isOver) waiting.push(task);
  frame ??= requestAnimationFrame(nextFrame);
}

function nextFrame(): void {
  frame = null;
  frameDeadline = performance.now() + BUDGET_MS;
  for (const task of waiting) {
    if (performance.now() >= frameDeadline) break;
    task.work(frameDeadline);
  }
  waiting = waiting.filter((task) => !task.isOver);
  if (waiting.length > 0) frame = requestAnimationFrame(nextFrame);
}
