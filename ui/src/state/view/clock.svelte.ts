// SPDX-License-Identifier: Apache-2.0
/** Seconds since the epoch, for "3 min. ago". Updates slowly, as the texts show minutes. */
class Clock {
  now = $state(Date.now() / 1000);

  constructor() {
    setInterval(() => (this.now = Date.now() / 1000), 5000);
  }
}

export const clock = new Clock();
