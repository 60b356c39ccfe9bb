// SPDX-License-Identifier: Apache-2.0
import type { components } from "./schema";

/** Ids of the runs that grew, and whether runs came or went. */
export type Change = components["schemas"]["LiveChange"];

export interface LiveListener {
  /** The stream is open; called again after every reconnection, when anything may have been missed. */
  onOpen: () => void;
  onChange: (change: Change) => void;
  /** Somebody changed what people keep about runs. */
  onNotebook: () => void;
  /** The server found something wrong with a run, or something is right again. */
  onAlerts: () => void;
  /** The server is gone; the subscription keeps trying. */
  onLost: () => void;
}

const RETRY_MS = [500, 1000, 2000, 4000];
const HIDDEN_MS = 10_000;

/**
 * Follows /api/live and reconnects by itself; the returned function ends it.
 *
 * A page that nobody sees lets go of its stream after a while and takes it up when it is shown again: a browser opens
 * only six connections to a server, which as many forgotten tabs would use up.
 */
export function subscribe(listener: LiveListener): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  function connect(): void {
    clearTimeout(timer);
    source?.close();
    source = new EventSource("/api/live");
    source.addEventListener("hello", () => {
      failures = 0;
      listener.onOpen();
    });
    source.addEventListener("change", (event: MessageEvent<string>) => listener.onChange(JSON.parse(event.data) as Change));
    source.addEventListener("notebook", () => listener.onNotebook());
    source.addEventListener("alerts", () => listener.onAlerts());
    source.onerror = () => {
      source?.close();
      listener.onLost();
      if (!document.hidden) timer = setTimeout(connect, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
    };
  }

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  function follow(): void {
    if (document.hidden) {
      clearTimeout(timer);
      timer = setTimeout(close, HIDDEN_MS);
    } else if (source?.readyState === EventSource.OPEN) {
      clearTimeout(timer);
    } else {
      connect();
    }
  }

  document.addEventListener("visibilitychange", follow);
  if (!document.hidden) connect();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}
