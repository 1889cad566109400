import type { ApiError, InspectorEvent } from '../api-types.ts';

/** The server's API, as the page calls it. */
export interface Api {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>;
  /** Reads events until the stream ends or the signal aborts. */
  listen(onOpen: () => void, onEvent: (event: InspectorEvent) => void, signal: AbortSignal): Promise<void>;
}

/** A request that the server refused, in its own words. */
export class ApiFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const KEY = 'pegboard.token';

/** The token of the link, kept for this tab and taken out of the address, where others could read it. */
export function takeToken(): string {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(undefined, '', '#/tools');
  }
  return sessionStorage.getItem(KEY) ?? '';
}

/** Makes the API for a token. */
export function createApi(token: string): Api {
  const authorization = `Bearer ${token}`;
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(path, { headers: { authorization }, ...init });
    if (response.ok) return response;
    // Every answer of the API that is no success has this shape.
    const { error } = (await response.json()) as { readonly error: ApiError };
    throw new ApiFault(response.status, error.message);
  };
  return {
    // The server's types and these are the same ones.
    get: async <T>(path: string, signal?: AbortSignal) => (await send(path, { signal: signal ?? null })).json() as T,
    post: async <T>(path: string, body: unknown, signal?: AbortSignal) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null };
      return (await send(path, init)).json() as T;
    },
    async listen(onOpen, onEvent, signal) {
      const { body } = await send('/api/events', { signal });
      onOpen();
      let rest = '';
      // An EventSource could not send the token.
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return;
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = block.split('\n').find((line) => line.startsWith('data: '));
          if (data !== undefined) onEvent(JSON.parse(data.slice('data: '.length)) as InspectorEvent);
        }
      }
    },
  };
}
