import type { IncomingMessage } from 'node:http';
import { JsonMeter } from '../../../tool/json-text/json-meter.ts';

/** The limits of a body. */
export interface BodyBounds {
  readonly bytes: number;
  /** Keys and items, of a body that is JSON. Default: any number. */
  readonly values?: number;
}

/** A body that was read, or the bound that it breaks. */
export type ReadBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly excess: keyof BodyBounds };

/** Reads a whole body and hands it on, or the bound that it breaks, as soon as it does. Nothing when the sender goes away. */
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
  /** Counts the values of bodies that are long enough to have too many, each piece as it comes. */
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
