// SPDX-License-Identifier: Apache-2.0
import { browserPath } from "../core/view/root";

/** A request that failed: what failed, and what to do about it where the server knows. */
export class ApiError extends Error {
  readonly code: string;
  readonly remedy: string;
  /** The whole body of the refusal, which may say more. */
  readonly body: unknown;

  constructor(code: string, message: string, remedy: string, body: unknown = null) {
    super(message);
    this.code = code;
    this.remedy = remedy;
    this.body = body;
  }
}

export const UNREACHABLE = "unreachable";

interface Options {
  /** Parameters of the address; those that are null stay away. */
  query?: object;
  /** Sent as JSON. */
  body?: unknown;
  /** GET, or POST with a body, unless said otherwise. */
  method?: "POST" | "PUT" | "PATCH" | "DELETE";
  signal?: AbortSignal | undefined;
}

/** Called as a request begins; what it returns is called as the request ends. */
type Watch = () => () => void;

let watch: Watch = () => () => {};

/** Report every request to `watcher`, the progress bar of the page. There is only one. */
export function watchRequests(watcher: Watch): void {
  watch = watcher;
}

/** A path of the viewer with parameters, one for each item of a list; those that are null stay away. */
export function address(path: string, query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((item) => [name, String(item)]));
  return `${path}?${new URLSearchParams(pairs)}`;
}

/** The same for an element of the page, such as an image or a link. */
export function link(path: string, query: object): string {
  return browserPath(address(path, query));
}

/** The only fetch of the client, of a path of the viewer. Raises ApiError; an aborted request raises its AbortError. */
export async function request(path: string, options: Options = {}): Promise<Response> {
  const init: RequestInit = options.signal ? { signal: options.signal } : {};
  if (options.method) init.method = options.method;
  if (options.body !== undefined) {
    init.method = options.method ?? "POST";
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(options.body);
  }
  const ended = watch();
  try {
    return await answerOf(options.query ? address(path, options.query) : path, init);
  } finally {
    ended();
  }
}

/** Sends a request until the server does not ask for it later, or the caller has gone. */
async function answerOf(path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(browserPath(path), init).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiError(UNREACHABLE, "", "");
    });
    if (response.ok) return response;
    const retrySeconds = Number(response.headers.get("retry-after"));
    if (![409, 429].includes(response.status) || !retrySeconds) throw await errorOf(response, path);
    await pause(1000 * retrySeconds, init.signal);
  }
}

/** Raises the AbortError of the signal. */
function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

async function errorOf(response: Response, path: string): Promise<ApiError> {
  const fallback = new ApiError(String(response.status), `${path}: HTTP ${response.status} ${response.statusText}`, "");
  try {
    const body = (await response.json()) as { error?: { code?: string; message?: string; remedy?: string } };
    const { error } = body;
    return error?.message ? new ApiError(error.code ?? fallback.code, error.message, error.remedy ?? "", body) : fallback;
  } catch {
    return fallback;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
