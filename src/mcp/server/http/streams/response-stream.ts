import type { ServerResponse } from 'node:http';
import { ERROR_CODES, type JsonRpcId } from '../../../protocol/json-rpc.ts';
import { Failure, type Reply } from '../../mcp-server.ts';
import { type ExtraHeaders, openEventStream, respondJson, writeEvent } from '../respond.ts';
import type { KeptStream, KeptStreams } from './kept-streams.ts';

interface ResponseOptions {
  readonly accept: string | undefined;
  readonly isModern: boolean;
  readonly headers?: ExtraHeaders | undefined;
  /** The store of streams whose client may come back. */
  readonly streams?: KeptStreams | undefined;
  /** The rights that such a client must still have. */
  readonly rights?: string;
  /** The request that is answered. */
  readonly request?: JsonRpcId;
}

/** The response to one request: a single JSON object, or a stream as soon as there is more to say than the answer. */
export class ResponseStream {
  readonly #response: ServerResponse;
  readonly #options: ResponseOptions;
  #kept: KeptStream | undefined;

  constructor(response: ServerResponse, options: ResponseOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** Sends a message before the answer; clients that cannot take streams do without. */
  send(text: string): void {
    const response = this.#response;
    const { accept = '*/*', headers, streams, rights = '', request } = this.#options;
    if (this.#kept !== undefined) return this.#kept.send(text);
    // A client that left before the first event does not know what to come back for.
    if (!/text\/event-stream|\*\/\*/.test(accept) || response.writableEnded || response.destroyed) return;
    if (streams !== undefined) {
      this.#kept = streams.open(response, { headers, rights, request });
      return this.#kept.send(text);
    }
    if (!response.headersSent) openEventStream(response, headers);
    writeEvent(response, text);
  }

  /** Sends the answer, which is the end; without one the request was cancelled. */
  end(reply: Reply): void {
    const response = this.#response;
    const text = reply instanceof Failure ? reply.text : reply;
    if (this.#kept !== undefined) {
      if (text !== undefined) this.#kept.send(text);
      return this.#kept.end();
    }
    if (response.writableEnded || response.destroyed) return;
    if (response.headersSent) {
      if (text !== undefined) writeEvent(response, text);
      response.end();
    } else if (text === undefined) {
      openEventStream(response, this.#options.headers);
      response.end();
    } else {
      const status = reply instanceof Failure ? this.#statusOf(reply) : 200;
      respondJson(response, text, { status, headers: this.#options.headers });
    }
  }

  #statusOf({ code, isEarly }: Failure): number {
    if (isEarly || code === ERROR_CODES.parseError) return 400;
    if (!this.#options.isModern) return 200;
    if (code === ERROR_CODES.methodNotFound) return 404;
    return code === ERROR_CODES.missingClientCapability ? 400 : 200;
  }
}
