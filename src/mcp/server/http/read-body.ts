import type { IncomingMessage } from 'node:http';
import { ERROR_CODES, tooManyValues } from '../../protocol/json-rpc.ts';
import { respondError } from './respond.ts';
import type { Visit } from './session-endpoint.ts';
import { FairSlots } from '../../../platform/fair-slots.ts';
import { JsonMeter } from '../../../tool/input-limits.ts';

/**
 * Reads the JSON body of a POST and passes it on with the current visit: tokens or rights may have changed meanwhile. Answers the
 * request itself if the body is not JSON or too large, or if its sender has lost its access.
 */
export function readJsonBody(
  visit: Visit,
  bounds: Required<BodyBounds>,
  take: (body: string, visit: Visit) => void,
): void {
  const { request, response } = visit;
  const type = request.headers['content-type'];
  // Pages of other sites cannot send this type without a preflight request.
  if (type === undefined || !/^application\/json(?:\s*;|$)/i.test(type))
    return respondError(response, 415, {
      message: `Send JSON with content-type: application/json; got "${type ?? ''}".`,
    });
  readBody(request, bounds, (body) => {
    const headers = { connection: 'close' };
    if (body.ok) {
      inTurn(body.text.length, visit.owner, () => {
        if (visit.isCurrent()) take(body.text, visit);
        else takeAgain(body.text, visit, take);
      });
    } else if (body.excess === 'bytes') {
      const message = `The message is larger than ${bounds.bytes} bytes, which is all this server takes.`;
      respondError(response, 413, { message, headers });
    } else {
      const error = { code: ERROR_CODES.invalidParams, plain: 'invalid_arguments', headers };
      respondError(response, 400, { message: tooManyValues(bounds.values), ...error });
    }
  });
}

/** Tokens or rights changed: checks the sender again. */
function takeAgain(body: string, visit: Visit, take: (body: string, visit: Visit) => void): void {
  const headers = { 'www-authenticate': 'Bearer realm="pegboard", error="invalid_token"' };
  const refuse = (): void => respondError(visit.response, 401, { message: 'The token is not good any more.', headers });
  void Promise.resolve(visit.recheck()).then(
    (caller) => (caller === undefined ? refuse() : take(body, { ...visit, caller })),
    refuse,
  );
}

interface BodyBounds {
  readonly bytes: number;
  /** Keys and items of a JSON body. Default: any number. */
  readonly values?: number;
}

/** A body, or the limit that it exceeds. */
export type ReadBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly excess: keyof BodyBounds };

/** Reads a body; reports an exceeded limit at once. Reports nothing if the sender disconnects. */
export function readBody(
  request: IncomingMessage,
  { bytes: maxBytes, values = Infinity }: BodyBounds,
  done: (body: ReadBody) => void,
): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return done({ ok: false, excess: 'bytes' });
  let meter: JsonMeter | undefined;
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  let length = 0;
  const refuse = (excess: keyof BodyBounds): void => {
    request.removeAllListeners('data');
    request.removeAllListeners('end');
    request.resume();
    done({ ok: false, excess });
  };
  /** Counts the values of bodies that are long enough to have too many, chunk by chunk. */
  const isTooMany = (chunk: Buffer): boolean => {
    if (length <= 2 * values) return false;
    if (meter === undefined) {
      meter = new JsonMeter({ values });
      for (const part of rest ?? (first === undefined ? [] : [first])) meter.push(part.toString('latin1'));
    }
    return meter.push(chunk.toString('latin1')) !== undefined;
  };
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) refuse('bytes');
    else if (isTooMany(chunk)) refuse('values');
    else if (first === undefined) first = chunk;
    else (rest ??= [first]).push(chunk);
  });
  request.on('end', () => {
    const text = rest === undefined ? (first?.toString('utf8') ?? '') : Buffer.concat(rest, length).toString('utf8');
    done({ ok: true, text });
  });
}

/** Longer messages are large. */
const LARGE = 16_000;

/** Shared by all servers of the process; callers take turns. */
const turns = new FairSlots({ limit: 1 });

/**
 * Runs work for a message: at once for a small one, in turn for a large one. Each large message waits as long as the one before took, so
 * that large messages slow small ones down by half at most.
 */
function inTurn(length: number, caller: string, work: () => void): void {
  if (length <= LARGE) return work();
  const ticket = turns.take(caller);
  if (ticket === undefined) throw new TypeError('Any number may wait for its turn.');
  const run = (): void => {
    const start = performance.now();
    try {
      work();
    } finally {
      setTimeout(() => ticket.leave(), Math.ceil(performance.now() - start));
    }
  };
  if (ticket.granted === undefined) run();
  else void ticket.granted.then(run);
}
