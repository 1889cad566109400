// The thread that parses large messages of servers.
import { parentPort } from 'node:worker_threads';
import { measureJson } from '../../../tool/input-limits.ts';
import type { LargeFrame, ReadFrame } from './frame-reader.ts';
import { parseFrame } from './parse-frame.ts';

/** Messages with more values are copied as text and parsed again, which is faster. */
const FEW = 5_000;

function read(frame: LargeFrame): ReadFrame {
  const text = typeof frame === 'string' ? frame : Buffer.concat(frame).toString('utf8');
  const message = parseFrame(text);
  const start = text.slice(0, 500);
  if (message === undefined || 'error' in message || measureJson(text, { values: FEW }) === undefined)
    return { message, start };
  return { text, start };
}

parentPort?.on('message', (frame: LargeFrame) => parentPort?.postMessage(read(frame)));
