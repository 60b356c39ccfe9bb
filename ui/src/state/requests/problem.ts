// SPDX-License-Identifier: Apache-2.0
import { ApiError, UNREACHABLE } from "../../api/client";
import { saidBy, type Reason } from "../../core/text/reason";
import { hasWords, textOr, t } from "../../i18n/i18n.svelte";

/** Something that failed, in words for a person: what, and what to do. Read in a template, they change with the language. */
export interface Problem {
  readonly what: string;
  readonly remedy: string;
  readonly isUnreachable: boolean;
  /** What the server names in its reason, by name. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/** A reason from the server as an error; convert it with `problemOf`. */
export class ReasonError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.message);
    this.reason = reason;
  }
}

/** A job as a source, whose own problem counts as that of its request. */
export function jobSource<Job extends { problem: Reason | null }>(
  source: { problem: Problem | null; retry(): void; reload(): void },
  job: Job | null,
): { problem: Problem | null; retry(): void } {
  return job?.problem ? { problem: problemOf(new ReasonError(job.problem)), retry: () => source.reload() } : source;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError && error.code === UNREACHABLE) return new Unreachable();
  if (error instanceof ApiError) return new Told(reasonOf(error), error.remedy);
  if (error instanceof ReasonError) return new Told(error.reason, "");
  return { what: error instanceof Error ? error.message : String(error), remedy: "", isUnreachable: false };
}

/** A reason of the server in the current language, with its remedy; "" for none. */
export function reasonText(reason: Reason | null | undefined): string {
  if (!reason) return "";
  const [what, remedy] = [causeText(reason), remedyText(reason)];
  return remedy === "" ? what : `${what}${what.endsWith("。") ? "" : " "}${remedy}`;
}

/** A reason without its remedy. */
export function causeText(reason: Reason): string {
  return saidBy(reason, (key, values) => (hasWords(key) ? t(key, values) : null));
}

function remedyText({ code }: Reason): string {
  return textOr(`error.remedy.${code}`, "");
}

class Unreachable implements Problem {
  readonly isUnreachable = true;

  get what(): string {
    return t("error.unreachable");
  }

  get remedy(): string {
    return t("error.unreachable_remedy");
  }
}

class Told implements Problem {
  readonly isUnreachable = false;
  readonly #reason: Reason;
  readonly #remedy: string;

  constructor(reason: Reason, remedy: string) {
    this.#reason = reason;
    this.#remedy = remedy;
  }

  get what(): string {
    return causeText(this.#reason);
  }

  get values(): Readonly<Record<string, string | number>> {
    return this.#reason.values;
  }

  /** The text of a code that has no remedy says all. */
  get remedy(): string {
    return hasWords(`error.code.${this.#reason.code}`) ? remedyText(this.#reason) : this.#remedy;
  }
}

function reasonOf({ code, message, body }: ApiError): Reason {
  const { error } = (body ?? {}) as { error?: Partial<Reason> };
  return { code, message, values: error?.values ?? {} };
}
