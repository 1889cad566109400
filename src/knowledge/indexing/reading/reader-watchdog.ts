// A thread beside the reader of documents. The reader may be busy for long, so only another thread can end it.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { ReaderLimit, WatchdogStart } from './cut-document.ts';

/** Milliseconds between two checks. */
const EVERY = 20;
const MICROSECONDS = 1_000_000;

// reader-program.ts sets this.
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
  // No one waits for the answer any more. On Windows, the id of an ended parent stays the same.
  if (process.ppid !== parent) end('time');
  Atomics.wait(idle, 0, 0, EVERY);
}

/** Returns processor time, not wall-clock time: a busy machine must not make a document look hostile. */
function usedTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function end(limit: ReaderLimit): void {
  writeSync(1, `${limit}\n`);
  process.kill(process.pid, 'SIGKILL');
}
