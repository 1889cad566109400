// Measures the cost of an HTTP tool call: templates filled, address checked, answer read, against the bare client.
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { compileRequest } from '../src/platform/http/template/compile-request.ts';
import { createEgressPolicy } from '../src/platform/http/egress.ts';
import { createHttpClient } from '../src/platform/http/http-client.ts';
import { sendRequest } from '../src/platform/http/send-request.ts';
import { atMost, formatFigure, publish } from './report.ts';
import { measureInRounds, medianOf, ratioOf, type Subject } from './rounds.ts';

const ROUNDS = 60;
const CALLS = 200;
const BARE = 'undici.request';
const OURS = 'Pegboard sendRequest';
const FETCH = 'fetch';

// The library's own copy: the packages of the benchmarks bring another one.
const require = createRequire(new URL('../package.json', import.meta.url));
const { Agent, request } = require('undici') as typeof import('undici');

// A thread of its own, so that what the server does is not counted as the caller's work.
const server = new Worker(
  `const { createServer } = require('node:http');
   const { parentPort } = require('node:worker_threads');
   const server = createServer((request, response) => {
     request.resume();
     const answer = JSON.stringify({ path: request.url, items: Array.from({ length: 20 }, (_, id) => ({ id, name: 'peg ' + id })) });
     response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
     response.end(answer);
   }).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
  { eval: true },
);
const [port] = (await once(server, 'message')) as [number];
const origin = `http://127.0.0.1:${port}`;

const agent = new Agent();
const client = createHttpClient({ egress: createEgressPolicy({ allow: [`127.0.0.1:${port}`] }) });
const compilation = compileRequest({
  url: `${origin}/boards/{{board}}/pegs`,
  query: { limit: '{{limit}}', color: '{{color}}' },
  headers: { Accept: 'application/json', 'X-Request-Id': '{{id}}' },
});
if (!compilation.ok) throw new Error(JSON.stringify(compilation.faults));
const { request: compiled } = compilation;

const calls: Readonly<Record<string, (index: number) => Promise<unknown>>> = {
  [BARE]: async (index) => {
    const { body } = await request(`${origin}/boards/b${index}/pegs?limit=20&color=red`, {
      dispatcher: agent,
      headers: { Accept: 'application/json', 'X-Request-Id': `r${index}` },
    });
    return body.json();
  },
  [OURS]: async (index) => {
    const outcome = await sendRequest(
      compiled.render({ board: `b${index}`, limit: 20, color: 'red', id: `r${index}` }),
      { client },
    );
    return outcome.body.type === 'json' ? outcome.body.value : undefined;
  },
  [FETCH]: async (index) => {
    const response = await fetch(`${origin}/boards/b${index}/pegs?limit=20&color=red`, {
      headers: { Accept: 'application/json', 'X-Request-Id': `r${index}` },
    });
    return response.json();
  },
};

const subjects = Object.entries(calls).map(([name, call]): Subject => ({ name, measure: () => timeCalls(call) }));
for (const [name, call] of Object.entries(calls)) {
  const answer = await call(1);
  if (!JSON.stringify(answer).includes('/boards/b1/pegs')) throw new Error(`${name} gave a wrong answer.`);
}
await measureInRounds(subjects, 10);
const timings = await measureInRounds(subjects, ROUNDS);
await Promise.all([agent.close(), client.close(), server.terminate()]);

publish({
  name: 'http-call',
  tables: [
    {
      caption: `One GET of a small JSON answer over a kept-alive loopback connection, median of ${ROUNDS} rounds of ${CALLS}:`,
      head: ['Way', 'µs per call', `× ${BARE}`],
      rows: subjects.map(({ name }) => [
        name,
        formatFigure(medianOf(timings, name)),
        ratioOf(timings, name, BARE).toFixed(2),
      ]),
    },
  ],
  bars: [
    atMost(`an HTTP tool call costs at most 1.5 × ${BARE}`, ratioOf(timings, OURS, BARE), { limit: 1.5, unit: '×' }),
  ],
});

async function timeCalls(call: (index: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < CALLS; index++) await call(index);
  return ((performance.now() - started) * 1e3) / CALLS;
}
