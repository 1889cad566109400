import type { ServerResponse } from 'node:http';
import { ERROR_CODES, type JsonRpcId } from '../../../protocol/json-rpc.ts';
import { Failure, type Reply } from '../../connection.ts';
import { type ExtraHeaders, openEventStream, respondJson, writeEvent } from '../respond.ts';
import type { KeptStream, KeptStreams } from './kept-streams.ts';

interface ResponseOptions {
  readonly accept: string | undefined;
  readonly isModern: boolean;
  readonly headers?: ExtraHeaders | undefined;
  /** The streams of the session, if the client may resume. */
  readonly streams?: KeptStreams | undefined;
  /** The rights that resuming requires. */
  readonly rights?: string;
  readonly request?: JsonRpcId;
}

/** The response to one request: a JSON object, or a stream if messages precede the answer. */
export class ResponseStream {
  readonly #response: ServerResponse;
  readonly #options: ResponseOptions;
  #kept: KeptStream | undefined;

  constructor(response: ServerResponse, options: ResponseOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** Sends a message before the answer; dropped for clients without streams. */
  send(text: string): void {
    const response = this.#response;
    const { accept = '*/*', headers, streams, rights = '', request } = this.#options;
    if (this.#kept !== undefined) return this.#kept.send(text);
    // A client that left before the first event has no id to resume from.
    if (!/text\/event-stream|\*\/\*/.test(accept) || response.writableEnded || response.destroyed) return;
    if (streams !== undefined) {
      this.#kept = streams.open(response, { headers, rights, request });
      return this.#kept.send(text);
    }
    if (!response.headersSent) openEventStream(response, headers);
    writeEvent(response, text);
  }

  /** Sends the answer and ends the response; without an answer the request was cancelled. */
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
