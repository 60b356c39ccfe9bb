// SPDX-License-Identifier: Apache-2.0
// One event stream for all tabs of a browser, which opens only six connections to a server. Tabs join and leave; the
// stream is open while one of them is there.
import { EventStream, type LiveMessage } from "./eventStream";

/** What the worker posts to a tab; a beat only says that the worker runs. */
export type WorkerMessage = LiveMessage | { name: "beat" };
export type TabMessage = "join" | "leave";

export const BEAT_MS = 10_000;

const tabs = new Set<MessagePort>();
const stream = new EventStream(broadcast);

function broadcast(message: WorkerMessage): void {
  for (const tab of tabs) tab.postMessage(message);
}

function join(tab: MessagePort): void {
  tabs.add(tab);
  if (stream.isOpen) tab.postMessage({ name: "open" } satisfies WorkerMessage);
  else stream.open();
}

function leave(tab: MessagePort): void {
  tabs.delete(tab);
  if (tabs.size === 0) stream.close();
}

self.addEventListener("connect", (event) => {
  const tab = (event as MessageEvent).ports[0] as MessagePort;
  tab.onmessage = ({ data }: MessageEvent<TabMessage>) => (data === "join" ? join(tab) : leave(tab));
});
setInterval(() => broadcast({ name: "beat" }), BEAT_MS);
