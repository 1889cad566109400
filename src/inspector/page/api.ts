import type { ApiError, InspectorEvent } from '../api-types.ts';

/** The client of the server's API. */
export interface Api {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>;
  /** Reads events until the stream ends or the signal aborts. */
  listen(onOpen: () => void, onEvent: (event: InspectorEvent) => void, signal: AbortSignal): Promise<void>;
}

/** A request that the server refused, with its message. */
export class ApiFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const KEY = 'pegboard.token';

/** Milliseconds that a tab without a token waits for other tabs to answer. */
const PATIENCE = 1_000;

/**
 * Takes the token from the link, stores it for this tab and removes it from the address, where others could read it.
 *
 * A tab opened from another one asks the open tabs; only pages of the same origin can answer.
 */
export async function takeToken(): Promise<string> {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (given !== undefined) history.replaceState(undefined, '', '#/tools');
  const channel = new BroadcastChannel(KEY);
  const token = given ?? sessionStorage.getItem(KEY) ?? (await askOtherTabs(channel));
  if (token === '') return token;
  sessionStorage.setItem(KEY, token);
  channel.addEventListener('message', ({ data }) => {
    if (data === 'token?') channel.postMessage({ token });
  });
  return token;
}

function askOtherTabs(channel: BroadcastChannel): Promise<string> {
  return new Promise((resolve) => {
    const listen = ({ data }: MessageEvent<{ readonly token?: unknown } | null>): void => {
      if (typeof data?.token === 'string') end(data.token);
    };
    const end = (token: string): void => {
      clearTimeout(timer);
      channel.removeEventListener('message', listen);
      resolve(token);
    };
    const timer = setTimeout(() => end(''), PATIENCE);
    channel.addEventListener('message', listen);
    channel.postMessage('token?');
  });
}

export function createApi(token: string): Api {
  const authorization = `Bearer ${token}`;
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(path, { headers: { authorization }, ...init });
    if (response.ok) return response;
    // All errors of the API have this shape.
    const { error } = (await response.json()) as { readonly error: ApiError };
    throw new ApiFault(response.status, error.message);
  };
  return {
    // The server shares these types.
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
      // An EventSource cannot send the token.
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
