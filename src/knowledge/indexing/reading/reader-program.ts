// The process that reads documents for DocumentReader, one after the other, within limits of time and memory.
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { findThreadProgram } from '../../../platform/process/task-thread.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { CodeParsers } from '../../documents/code/code-parser.ts';
import {
  cutDocument,
  type CutDocument,
  type DocumentOrder,
  type ReaderAnswer,
  type ReaderLimits,
  type ReaderOrder,
  type WatchdogStart,
} from './cut-document.ts';

/** Chunks in one message: few enough that receiving them does not block the board. */
const CHUNKS_A_MESSAGE = 50;

// document-reader.ts sets this.
const limits = JSON.parse(process.argv[2] ?? '{}') as ReaderLimits;
const state = new Int32Array(new SharedArrayBuffer(8));
const parsers = new CodeParsers();
let count = 0;
let answerNow: ((result: CutDocument) => void) | undefined;

// The board's other work goes first.
setPriority(5);
// The board handles Ctrl-C and ends this process.
process.on('SIGINT', () => undefined);
const workerData = { state, memory: limits.memory, parent: process.ppid } satisfies WatchdogStart;
new Worker(findThreadProgram('reader-watchdog', import.meta.url), { workerData, execArgv: [] }).unref();
let received: { readonly order: DocumentOrder; at: number } | undefined;
process.on('message', (part: ReaderOrder) => receive(part));
// Answers for a document whose reading waits forever, so that nothing is left to run.
process.on('beforeExit', () => answerNow?.({ ok: false, reason: 'cannot be read: reading it does not end' }));

/** Collects the parts of a document, and answers once it is complete. */
function receive(part: ReaderOrder): void {
  if (part.type === 'start') {
    const { path, chunks, size } = part;
    received = { order: { path, chunks, bytes: new Uint8Array(size) }, at: 0 };
  } else if (received !== undefined) {
    received.order.bytes.set(part.bytes, received.at);
    received.at += part.bytes.length;
  }
  if (received === undefined || received.at < received.order.bytes.length) return;
  const { order } = received;
  received = undefined;
  void answer(order);
}

async function answer(order: DocumentOrder): Promise<void> {
  const megabytes = order.bytes.length / 1_000_000;
  Atomics.store(state, 1, Math.ceil(limits.seconds + limits.secondsPerMegabyte * megabytes));
  Atomics.store(state, 0, ++count);
  Atomics.notify(state, 0);
  process.channel?.unref();
  const result = await new Promise<CutDocument>((settle) => {
    answerNow = settle;
    cutDocument(order, parsers).then(settle, (error: unknown) =>
      settle({ ok: false, reason: `cannot be read: ${messageOf(error)}` }),
    );
  });
  answerNow = undefined;
  process.channel?.ref();
  Atomics.store(state, 0, 0);
  await send(result);
}

/** Sends chunks as fast as they are received, and releases those that are sent. */
async function send(result: CutDocument): Promise<void> {
  if (result.ok) {
    while (result.chunks.length > 0) await post({ type: 'chunks', chunks: result.chunks.splice(0, CHUNKS_A_MESSAGE) });
  }
  await post({ type: 'end', result });
}

function post(answer: ReaderAnswer): Promise<void> {
  return new Promise((settle) => void process.send?.(answer, undefined, undefined, () => settle()));
}
