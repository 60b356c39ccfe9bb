// SPDX-License-Identifier: Apache-2.0
/** A request that failed: what failed, and what to do about it where the server knows. */
export class ApiError extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string) {
    super(message);
    this.code = code;
    this.remedy = remedy;
  }
}

export const UNREACHABLE = "unreachable";

/** The only fetch of the client. Raises ApiError; an aborted request raises its AbortError. */
export async function request(path: string, options: { body?: unknown; signal?: AbortSignal } = {}): Promise<Response> {
  const init: RequestInit = options.signal ? { signal: options.signal } : {};
  if (options.body !== undefined) {
    init.method = "POST";
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(options.body);
  }
  const response = await fetch(path, init).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw new ApiError(UNREACHABLE, "", "");
  });
  if (!response.ok) throw await errorOf(response, path);
  return response;
}

async function errorOf(response: Response, path: string): Promise<ApiError> {
  const fallback = new ApiError(String(response.status), `${path}: HTTP ${response.status} ${response.statusText}`, "");
  try {
    const { error } = (await response.json()) as { error?: { code?: string; message?: string; remedy?: string } };
    return error?.message ? new ApiError(error.code ?? fallback.code, error.message, error.remedy ?? "") : fallback;
  } catch {
    return fallback;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
