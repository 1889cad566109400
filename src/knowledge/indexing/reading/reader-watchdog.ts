// A thread beside the reader of documents. The reader itself may be busy for long: only another thread can end it.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { ReaderLimit, WatchdogStart } from './reader-messages.ts';

/** Milliseconds between two looks. */
const EVERY = 20;
const MICROSECONDS = 1_000_000;

// The data that reader-program.ts started this thread with.
const { state, memory, parent } = workerData as WatchdogStart;
const idle = new Int32Array(new SharedArrayBuffer(4));
let known = 0;
let startedAt = 0;

for (;;) {
  const document = Atomics.load(state, 0);
  if (document === 0) {
    Atomics.wait(state, 0, 0);
    continue;
  }
  if (document !== known) [known, startedAt] = [document, usedTime()];
  if (process.memoryUsage.rss() > memory) end('memory');
  if (usedTime() - startedAt > Atomics.load(state, 1) * MICROSECONDS) end('time');
  // Nobody waits for the answer any more. Windows keeps the number of a process that ended.
  if (process.ppid !== parent) end('time');
  Atomics.wait(idle, 0, 0, EVERY);
}

/** Processor time rather than time: a busy machine must not make a document look hostile. */
function usedTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function end(limit: ReaderLimit): void {
  writeSync(1, `${limit}\n`);
  process.kill(process.pid, 'SIGKILL');
}
