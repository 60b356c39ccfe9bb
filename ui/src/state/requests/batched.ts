// SPDX-License-Identifier: Apache-2.0
/** Milliseconds in which questions of the same kind gather: cards that come into sight together ask together. */
const GATHER_MS = 4;

/** A question that waits for its turn, and who asked. */
interface Waiting<Question, Answer> {
  question: Question;
  signal: AbortSignal;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** How questions become one: `alike` is equal for those that may go together, `most` of them at a time. */
interface Gathering<Question, Answer> {
  alike: (question: Question) => string;
  most: number;
  /** One answer for each question, in their order. */
  send: (questions: readonly Question[], signal: AbortSignal) => Promise<readonly Answer[]>;
}

/** Combines single queries into one request. The request is aborted when its last caller cancels. */
export function batched<Question, Answer>({
  alike,
  most,
  send,
}: Gathering<Question, Answer>): (question: Question, signal: AbortSignal) => Promise<Answer> {
  const waiting = new Map<string, Waiting<Question, Answer>[]>();

  function flush(key: string): void {
    const asked = waiting.get(key)!.filter(({ signal }) => !signal.aborted);
    waiting.delete(key);
    for (let first = 0; first < asked.length; first += most) void ask(asked.slice(first, first + most));
  }

  async function ask(some: readonly Waiting<Question, Answer>[]): Promise<void> {
    const request = new AbortController();
    const left = (): void => {
      if (some.every(({ signal }) => signal.aborted)) request.abort();
    };
    for (const { signal } of some) signal.addEventListener("abort", left);
    try {
      const answers = await send(
        some.map(({ question }) => question),
        request.signal,
      );
      some.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  return (question, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      const key = alike(question);
      const others = waiting.get(key);
      if (others) others.push({ question, signal, resolve, reject });
      else {
        waiting.set(key, [{ question, signal, resolve, reject }]);
        setTimeout(() => flush(key), GATHER_MS);
      }
    });
}
