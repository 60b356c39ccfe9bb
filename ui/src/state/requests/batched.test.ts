// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { batched } from "./batched";

interface Sent {
  questions: readonly number[];
  signal: AbortSignal;
  answer: (answers: readonly number[]) => void;
  fail: (error: Error) => void;
}

/** A server that answers when it is told to. Odd and even numbers can't go together. */
function server(): {
  sent: Sent[];
  arrived: (count: number) => Promise<void>;
  ask: (question: number, signal?: AbortSignal) => Promise<number>;
} {
  const sent: Sent[] = [];
  let told: (() => void) | null = null;
  const ask = batched<number, number>({
    alike: (question) => String(question % 2),
    most: 2,
    send: (questions, signal) =>
      new Promise((answer, fail) => {
        sent.push({ questions, signal, answer, fail });
        told?.();
      }),
  });
  async function arrived(count: number): Promise<void> {
    while (sent.length < count) await new Promise<void>((resolve) => (told = resolve));
  }
  return { sent, arrived, ask: (question, signal = new AbortController().signal) => ask(question, signal) };
}

describe("gathered questions", () => {
  it("go together where they are alike, a limited number at a time, and are answered one by one", async () => {
    const { sent, arrived, ask } = server();
    const answers = [0, 1, 2, 4].map((question) => ask(question));
    await arrived(3);
    expect(sent.map(({ questions }) => questions)).toEqual([[0, 2], [4], [1]]);
    for (const { questions, answer } of sent) answer(questions.map((question) => 10 * question));
    expect(await Promise.all(answers)).toEqual([0, 10, 20, 40]);
  });

  it("fail together", async () => {
    const { sent, arrived, ask } = server();
    const settled = Promise.allSettled([0, 2].map((question) => ask(question)));
    await arrived(1);
    sent[0]!.fail(new Error("gone"));
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("are dropped when no consumer waits, and not before", async () => {
    const { sent, arrived, ask } = server();
    const [one, other, early] = [new AbortController(), new AbortController(), new AbortController()];
    const settled = Promise.allSettled([ask(0, one.signal), ask(2, other.signal), ask(4, early.signal)]);
    early.abort();
    await arrived(1);
    expect(sent[0]!.questions).toEqual([0, 2]);
    one.abort();
    expect(sent[0]!.signal.aborted).toBe(false);
    other.abort();
    expect(sent[0]!.signal.aborted).toBe(true);
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });
});
