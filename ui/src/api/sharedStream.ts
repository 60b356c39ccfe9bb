// SPDX-License-Identifier: Apache-2.0
import { EventStream, type LiveMessage } from "./eventStream";
import type { TabMessage, WorkerMessage } from "./liveWorker";

/** An open connection to the event stream; `close` ends it at once. */
export interface LiveConnection {
  close: () => void;
}

type Send = (message: LiveMessage) => void;

const SILENCE_MS = 30_000;

let isShareable = typeof SharedWorker !== "undefined";

/**
 * Connects to the one event stream of this browser, which a shared worker holds. A browser without shared workers, or
 * one that can't load ours, opens a stream for this tab.
 */
export function connect(send: Send): LiveConnection {
  return isShareable ? connectShared(send) : connectOwn(send);
}

function connectOwn(send: Send): LiveConnection {
  const stream = new EventStream(send);
  stream.open();
  return stream;
}

/** A worker sends something every 10 s. One that is silent for longer was ended by the browser: connects to a new one. */
function connectShared(send: Send): LiveConnection {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current = join();

  function join(): LiveConnection {
    const worker = new SharedWorker(new URL("./liveWorker.ts", import.meta.url), { type: "module", name: "mindscope" });
    const post = (message: TabMessage): void => worker.port.postMessage(message);
    worker.port.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      watch();
      if (data.name !== "beat") send(data);
    };
    worker.onerror = () => {
      isShareable = false;
      replace(() => connectOwn(send));
    };
    watch();
    post("join");
    return {
      close: () => {
        clearTimeout(timer);
        worker.onerror = worker.port.onmessage = null;
        post("leave");
        worker.port.close();
      },
    };
  }

  function replace(open: () => LiveConnection): void {
    current.close();
    current = open();
  }

  function watch(): void {
    clearTimeout(timer);
    timer = setTimeout(() => replace(join), SILENCE_MS);
  }

  return { close: () => current.close() };
}
