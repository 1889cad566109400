// Reads an endless output for a while in a process of its own, and prints by how much that process grew.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutputStore } from '../../src/platform/outputs/output-store.ts';
import { runProcess } from '../../src/platform/process/run-process.ts';
import { startStdio } from '../../src/mcp/client/transports/stdio-transport.ts';
import { createTextTail } from '../../src/mcp/client/explain-unavailable.ts';

const [way, milliseconds] = [process.argv[2], Number(process.argv[3])];
const folder = mkdtempSync(join(tmpdir(), 'pegboard-endless-'));
const env = { PATH: process.env['PATH'] ?? '' };
const wait = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

const ways: Readonly<Record<string, () => Promise<string>>> = {
  async bare() {
    const child = spawn('yes');
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => (size += chunk.length));
    await wait();
    child.kill();
    return String(size);
  },
  async command() {
    const spill = createOutputStore({ folder, maxBytes: 8_000_000 });
    const signal = AbortSignal.timeout(milliseconds);
    const outcome = await runProcess({ file: 'yes', args: [], cwd: folder, env, signal, capture: { spill } });
    spill.close();
    if (outcome.type === 'failed' || outcome.stdout.type === 'whole') throw new Error(JSON.stringify(outcome));
    return `${outcome.signal} ${outcome.stdout.tail.length}`;
  },
  async stderr() {
    const errors = createTextTail();
    const command = { file: 'sh', args: ['-c', 'exec yes >&2'], cwd: folder, env };
    const none = (): void => {};
    const handlers = { onMessage: none, onFailure: none, onClose: none, onSessionLost: none };
    const started = await startStdio(command, { maxFrame: 1_000_000, errors }, handlers);
    if (started.type === 'failed') throw new Error(started.failure.message);
    await wait();
    await started.transport.close({ patience: 0 });
    return errors.lines(1).join('');
  },
};

const before = process.memoryUsage.rss();
let most = before;
const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
const found = await ways[way ?? '']?.();
clearInterval(timer);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ growth: most - before, found }));
