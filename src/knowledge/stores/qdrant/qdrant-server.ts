import { setTimeout as wait } from 'node:timers/promises';
import type { QdrantClient } from '@qdrant/js-client-rest';
import { ToolError } from '../../../tool/tool-error.ts';
import { loadPeer } from '../../../platform/peers/load-peer.ts';

export interface QdrantServerOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
}

const ATTEMPTS = 3;
const PAUSE = 200;
const TIMEOUT = 30_000;

/** Sends requests, retries lost ones, and reports failures in plain words. */
export class QdrantServer {
  readonly #client: QdrantClient;
  readonly #url: string;

  constructor({ url, apiKey }: QdrantServerOptions) {
    // The module as `import '@qdrant/js-client-rest'` gives it.
    const { QdrantClient: Client } = loadPeer(
      '@qdrant/js-client-rest',
      'The knowledge store "qdrant"',
    ) as typeof import('@qdrant/js-client-rest');
    this.#url = new URL(url).origin;
    // As a header, because the client warns on the console about a key for a server without TLS.
    const headers = apiKey === undefined ? {} : { 'api-key': apiKey };
    // Its version check would contact the server before the first request.
    this.#client = new Client({ url, timeout: TIMEOUT, checkCompatibility: false, headers });
  }

  /** Runs one request. All requests of this store are idempotent, so they may be sent twice. */
  async run<T>(work: (client: QdrantClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(this.#client);
      } catch (error) {
        const status = statusOf(error);
        const isLost = status === undefined || status === 429 || status >= 500;
        if (!isLost) throw this.#describe(error, status);
        if (attempt === ATTEMPTS) throw this.#unavailable(error);
        await wait(PAUSE * attempt);
      }
    }
  }

  #describe(error: unknown, status: number): ToolError {
    const rights = status === 401 || status === 403;
    const advice = rights ? 'Check api_key' : 'See the reason it gives';
    const message = `The Qdrant server ${this.#url} refused: ${reasonOf(error)}. ${advice}.`;
    return new ToolError({ code: rights ? 'permission_denied' : 'execution_failed', message, cause: error });
  }

  #unavailable(cause: unknown): ToolError {
    const message = `The Qdrant server ${this.#url} cannot be reached: ${reasonOf(cause)}. Check that it runs and that endpoint_url is right.`;
    return new ToolError({ code: 'upstream_unavailable', message, cause });
  }
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof Error && 'status' in error && typeof error.status === 'number') return error.status;
  // For some answers the client's error has the status only in its message.
  const said = error instanceof Error ? /^Unexpected Response: (\d{3})/.exec(error.message)?.[1] : undefined;
  return said === undefined ? undefined : Number(said);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('data' in error && typeof error.data === 'object' && error.data !== null && 'status' in error.data) {
    const { status } = error.data;
    if (typeof status === 'object' && status !== null && 'error' in status) return String(status.error);
  }
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
