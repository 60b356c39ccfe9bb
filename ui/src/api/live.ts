// SPDX-License-Identifier: Apache-2.0
import type { Change, LiveMessage } from "./eventStream";
import { connect, type LiveConnection } from "./sharedStream";

export interface LiveListener {
  /** The stream is open; called again after every reconnection, when anything may have been missed. */
  onOpen: () => void;
  onChange: (change: Change) => void;
  /** Another client changed notes, colors, pins, thresholds or views. */
  onAnnotations: () => void;
  /** The server found something wrong with a run, or something is right again. */
  onAlerts: () => void;
  /** The server is gone; the subscription keeps trying. */
  onLost: () => void;
}

const HIDDEN_MS = 10_000;

/**
 * Follows the event stream of the server while the page is shown; the returned function ends it.
 *
 * The page disconnects when the browser puts it into its back/forward cache or freezes it, and 10 s after its tab is
 * hidden. It connects again when it is shown.
 */
export function subscribe(listener: LiveListener): () => void {
  let connection: LiveConnection | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show(): void {
    clearTimeout(timer);
    if (!document.hidden) connection ??= connect((message) => deliver(listener, message));
  }

  function close(): void {
    clearTimeout(timer);
    connection?.close();
    connection = null;
  }

  function follow(): void {
    show();
    if (document.hidden) timer = setTimeout(close, HIDDEN_MS);
  }

  const end = new AbortController();
  const { signal } = end;
  document.addEventListener("visibilitychange", follow, { signal });
  document.addEventListener("freeze", close, { signal });
  document.addEventListener("resume", show, { signal });
  window.addEventListener("pagehide", close, { signal });
  window.addEventListener("pageshow", show, { signal });
  show();
  return () => {
    end.abort();
    close();
  };
}

function deliver(listener: LiveListener, message: LiveMessage): void {
  switch (message.name) {
    case "open":
      return listener.onOpen();
    case "change":
      return listener.onChange(message.change);
    case "annotations":
      return listener.onAnnotations();
    case "alerts":
      return listener.onAlerts();
    case "lost":
      return listener.onLost();
  }
}
