// SPDX-License-Identifier: Apache-2.0
import { watchRequests } from "../../api/client";

/** Shorter waits are not worth a mark that comes and goes. */
const LONG_MS = 400;

/** Whether an answer of the server is long in coming. */
class Waiting {
  private late = $state(0);
  /** Requests without an answer. */
  count = 0;

  get isLong(): boolean {
    return this.late > 0;
  }

  /** A request began. Returns what to call when it ended. */
  begin = (): (() => void) => {
    let isLate = false;
    this.count++;
    const timer = setTimeout(() => {
      isLate = true;
      this.late++;
    }, LONG_MS);
    return () => {
      clearTimeout(timer);
      this.count--;
      if (isLate) this.late--;
    };
  };
}

export const waiting = new Waiting();
watchRequests(waiting.begin);
