import type { ServerResponse } from 'node:http';
import { ERROR_CODES } from '../../../protocol/json-rpc.ts';
import { Failure, type Reply } from '../../mcp-server.ts';
import { openEventStream, writeEvent } from './event-stream.ts';
import type { KeptStream } from './kept-stream.ts';
import type { KeptStreams } from './kept-streams.ts';
import { type ExtraHeaders, respondJson } from '../respond.ts';

/** The response to one request: a single JSON object, or a stream as soon as there is more to say than the answer. */
export class ResponseStream {
  readonly #response: ServerResponse;
  readonly #headers: ExtraHeaders | undefined;
  readonly #canStream: boolean;
  readonly #isModern: boolean;
  readonly #streams: KeptStreams | undefined;
  readonly #rights: string;
  #kept: KeptStream | undefined;

  constructor(
    response: ServerResponse,
    options: {
      readonly accept: string | undefined;
      readonly isModern: boolean;
      readonly headers?: ExtraHeaders | undefined;
      /** Where a stream is kept whose client may come back. */
      readonly streams?: KeptStreams | undefined;
      /** The rights that such a client must still have. */
      readonly rights?: string;
    },
  ) {
    this.#response = response;
    this.#headers = options.headers;
    this.#isModern = options.isModern;
    this.#streams = options.streams;
    this.#rights = options.rights ?? '';
    const { accept } = options;
    this.#canStream = accept === undefined || accept.includes('text/event-stream') || accept.includes('*/*');
  }

  /** Sends a message before the answer; clients that cannot take streams do without. */
  send(text: string): void {
    const response = this.#response;
    if (this.#kept !== undefined) return this.#kept.send(text);
    // A client that left before the first event does not know what to come back for.
    if (!this.#canStream || response.writableEnded || response.destroyed) return;
    if (this.#streams !== undefined) {
      this.#kept = this.#streams.open(response, { headers: this.#headers, rights: this.#rights });
      return this.#kept.send(text);
    }
    if (!response.headersSent) openEventStream(response, this.#headers);
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
      openEventStream(response, this.#headers);
      response.end();
    } else {
      const status = reply instanceof Failure ? this.#statusOf(reply) : 200;
      respondJson(response, text, { status, headers: this.#headers });
    }
  }

  #statusOf({ code, isEarly }: Failure): number {
    if (isEarly || code === ERROR_CODES.parseError) return 400;
    if (!this.#isModern) return 200;
    if (code === ERROR_CODES.methodNotFound) return 404;
    return code === ERROR_CODES.missingClientCapability ? 400 : 200;
  }
}
