// SPDX-License-Identifier: Apache-2.0
import { GraphSession } from "../../core/graphs/view/graphSession";
import { structureOf, type GraphSource } from "./graphs";

/** The calls of a session: names, arguments and answers. */
type Calls = Pick<GraphSession, keyof GraphSession>;
type Call = { [Name in keyof Calls]: { id: number; name: Name; args: Parameters<Calls[Name]> } }[keyof Calls];
type Answer = { id: number; answer: unknown } | { id: number; error: string };

/** What both sides of a worker have. */
export type Port = Pick<MessagePort, "postMessage" | "addEventListener">;

/** Serves one graph, which is the first message; each further one is a call. */
export function answerGraphCalls(port: Port): void {
  let session: GraphSession | null = null;
  port.addEventListener("message", ({ data }: MessageEvent<GraphSource | Call>) => {
    if (!("id" in data)) session = new GraphSession(structureOf(data));
    else port.postMessage(answer(session!, data));
  });
}

function answer(session: GraphSession, { id, name, args }: Call): Answer {
  try {
    return { id, answer: (session[name] as (...args: unknown[]) => unknown).apply(session, args) };
  } catch (error) {
    return { id, error: String(error) };
  }
}

/** Calls a session in another thread. Answers come in the order of the calls. */
export class GraphCaller {
  private readonly waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  private calls = 0;

  constructor(
    private readonly port: Port,
    graph: GraphSource,
  ) {
    port.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.settle(data));
    port.postMessage(graph);
  }

  call<Name extends keyof Calls>(name: Name, ...args: Parameters<Calls[Name]>): Promise<ReturnType<Calls[Name]>> {
    const id = this.calls++;
    this.port.postMessage({ id, name, args });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject }));
  }

  private settle(data: Answer): void {
    const { resolve, reject } = this.waiting.get(data.id)!;
    this.waiting.delete(data.id);
    if ("error" in data) reject(new Error(data.error));
    else resolve(data.answer);
  }
}

let spare: Worker | null = null;

const newWorker = (): Worker => new Worker(new URL("./graphWorker.ts", import.meta.url), { type: "module", name: "graph" });

/** Loads the code of a worker before its graph is here. */
export function prepareGraphWorker(): void {
  spare ??= newWorker();
}

/** Starts a worker for a graph; `stop` ends it. */
export function startGraphWorker(graph: GraphSource): { caller: GraphCaller; stop: () => void } {
  const worker = spare ?? newWorker();
  spare = null;
  return { caller: new GraphCaller(worker, graph), stop: () => worker.terminate() };
}
