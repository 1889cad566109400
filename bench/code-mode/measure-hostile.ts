import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpLine } from '../mcp/http-load.ts';
import { CALL, stateless } from '../mcp/messages.ts';
import { percentile } from '../rag/percentile.ts';
import { atMost, type Bar, formatFigure, type Table } from '../report.ts';

/** Programs of one kind that run at once. */
const AT_ONCE = 4;
/** Milliseconds for which other calls are measured beside each kind. */
const WINDOW = 6_000;
const WARM_UP = 2_000;
const DIST = join(import.meta.dirname, '../../dist');
const BUSY = `${AT_ONCE} busy processes beside the board`;

/** Programs that strain a board, with the message that must end each. */
const HOSTILE: readonly (readonly [name: string, code: string, ends: RegExp])[] = [
  ['endless loops', 'for (;;) {}', /computed for longer/],
  ['memory bombs', 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1));', /bytes of memory/],
  ['10,000 calls at once', callAtOnce(10_000), /made more than 1,000 calls/],
  ['1,000 calls at once, which are allowed', callAtOnce(1_000), /"text":"1000"/],
];

function callAtOnce(count: number): string {
  return `return (await Promise.all(Array.from({ length: ${count} }, (_, a) => tools.add({ a, b: 1 })))).length;`;
}

/** Durations of plain calls of another client, in milliseconds. */
interface Window {
  readonly name: string;
  readonly times: readonly number[];
  /** Programs that ended meanwhile. */
  readonly ended: number;
}

/** Calls a tool of a served board over HTTP, one call after the other, while another client has hostile programs run there. */
export async function measureHostile(
  folder: string,
): Promise<{ readonly table: Table; readonly bars: readonly Bar[] }> {
  const children: ChildProcess[] = [];
  try {
    const url = await serve(join(folder, 'hostile'), children);
    const line = await HttpLine.open({ url, ...stateless('tools/call', CALL) });
    for (let call = 0; call < WARM_UP; call++) await line.send();
    const windows: Window[] = [{ name: 'nothing else', times: await callOn(line), ended: 0 }];
    const busy = Array.from({ length: AT_ONCE }, () => spawn(process.execPath, ['-e', 'for (;;) {}']));
    children.push(...busy);
    windows.push({ name: BUSY, times: await callOn(line), ended: 0 });
    for (const child of busy) child.kill('SIGKILL');
    for (const [name, code, ends] of HOSTILE) {
      const attack = startPrograms(url, code, ends);
      const times = await callOn(line);
      windows.push({ name, times, ended: await attack.stop() });
    }
    line.close();
    return report(windows);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

function report(windows: readonly Window[]): { readonly table: Table; readonly bars: readonly Bar[] } {
  const [quiet] = windows;
  const at = (part: number, { times }: Pick<Window, 'times'> = { times: [] }): number => percentile(times, part);
  const busy = windows.find(({ name }) => name === BUSY);
  const worst = Math.max(...windows.slice(2).map((window) => at(0.99, window)));
  return {
    table: {
      caption: `Calls of a trivial tool over HTTP, one after the other, while another client keeps ${AT_ONCE} hostile programs running:`,
      head: ['Beside', 'p50, ms', 'p99, ms', '× quiet, p50', '× quiet, p99', 'longest, ms', 'programs ended'],
      rows: windows.map((window) => [
        window.name,
        formatFigure(at(0.5, window)),
        formatFigure(at(0.99, window)),
        formatFigure(at(0.5, window) / at(0.5, quiet)),
        formatFigure(at(0.99, window) / at(0.99, quiet)),
        formatFigure(at(1, window)),
        String(window.ended),
      ]),
    },
    bars: [
      atMost(
        'endless loops hold up calls of others at most twice as long as busy processes (p99)',
        at(0.99, windows[2]) / at(0.99, busy),
        { limit: 2, unit: '×' },
      ),
      atMost('calls of others beside any hostile programs, p99: at most 100 ms', worst, { limit: 100, unit: 'ms' }),
    ],
  };
}

async function callOn(line: HttpLine): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + WINDOW;
  for (let now = performance.now(); now < until;) {
    const answer = await line.send();
    if (!answer.includes('"5"')) throw new Error(`A wrong answer: ${answer.slice(0, 300)}`);
    const then = performance.now();
    times.push(then - now);
    now = then;
  }
  return times;
}

/** Keeps programs running at the board, each followed by the next one. `stop` gives how many ended before it was called. */
function startPrograms(url: URL, code: string, ends: RegExp): { stop(): Promise<number> } {
  const stopped = new AbortController();
  let ended = 0;
  const runOn = async (): Promise<void> => {
    const { body, headers } = stateless('tools/call', { name: 'run_code', arguments: { code } });
    while (!stopped.signal.aborted) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body,
      });
      const text = await response.text();
      if (!ends.test(text)) throw new Error(`The program ${code} ended otherwise: ${text.slice(0, 500)}`);
      if (!stopped.signal.aborted) ended++;
    }
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, runOn));
  // `stop` throws it.
  all.catch(() => {});
  return {
    async stop() {
      stopped.abort();
      await all;
      return ended;
    },
  };
}

function serve(place: string, children: ChildProcess[]): Promise<URL> {
  mkdirSync(place, { recursive: true });
  writeFileSync(
    join(place, 'tools.mjs'),
    `import { defineTool } from ${JSON.stringify(join(DIST, 'index.js'))};
const number = { type: 'number' };
export const add = defineTool({ name: 'add', description: 'Adds', risk: 'read',
  schema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
  execute: ({ a, b }) => String(a + b) });`,
  );
  const file = join(place, 'pegboard.yaml');
  writeFileSync(
    file,
    'discovery: { tools: code }\nserve: { mode: classic }\ntools: [{ type: script, file: tools.mjs }]\n',
  );
  const args = [join(DIST, 'cli.js'), 'serve', '--http', '--no-token', '--port', '0', file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      const [found] = /http:[^\s,]+/.exec((text += String(chunk))) ?? [];
      if (found !== undefined) resolve(new URL(found));
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${text}`)));
  });
}
