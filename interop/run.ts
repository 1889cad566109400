// Tries Pegboard with clients and servers that other people wrote: node interop/run.ts [name…] [--quick] [--write]
// Names are those of files in clients/, or of servers in servers/list.ts. Without names all are tried, with --quick those that
// install and run quickly. --write writes results.json and the tables of docs/interop.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CLIENT_FILES, SLOW_CLIENTS } from './clients/list.ts';
import { fillInteropPage, INTEROP_PAGE, showClients, showServers } from './page.ts';
import { isQuick, prepare } from './prepare.ts';
import { type ClientReport, type InteropResults, listFailures, writeInteropResults } from './results.ts';
import { SERVERS } from './servers/list.ts';
import { runServers } from './servers/run.ts';

const ROOT = join(import.meta.dirname, '..');
/** Clients that are tried at the same time: mostly they wait. */
const AT_ONCE = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const { quick, write } = values;
const known: readonly string[] = [...CLIENT_FILES, ...SERVERS.map(({ name }) => name)];
const unknown = positionals.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`Unknown name "${unknown}". Use some of: ${known.join(', ')}.`);
const all = quick ? known.filter((name) => !isSlow(name)) : known;
const wanted = positionals.length === 0 ? all : positionals;

prepare(ROOT, { quick });
const pegboard = [process.execPath, join(ROOT, 'dist/cli.js')];
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const results: InteropResults = {
  version,
  node: process.versions.node,
  clients: await tryClients(CLIENT_FILES.filter((file) => wanted.includes(file))),
  servers: await runServers(pegboard, { only: wanted, log: (text) => console.error(text) }),
};
console.log(`\n${showClients(results.clients)}\n\n${showServers(results.servers)}`);
if (write) {
  const page = join(ROOT, INTEROP_PAGE);
  writeFileSync(page, fillInteropPage(readFileSync(page, 'utf8'), writeInteropResults(results)));
}
const failures = listFailures(results);
for (const failure of failures) console.error(`fails: ${failure}`);
if (failures.length > 0) process.exitCode = 1;

/** Returns true for a client or server that takes long to install or, as a command for each request does, to run. */
function isSlow(name: string): boolean {
  const server = SERVERS.find((each) => each.name === name);
  return server === undefined ? SLOW_CLIENTS.has(name) : !isQuick(server.package);
}

/** Tries the clients of these files, and gives their reports in the order of the files. */
async function tryClients(files: readonly string[]): Promise<ClientReport[]> {
  const reports = new Map<string, ClientReport[]>();
  const left = [...files];
  const work = async (): Promise<void> => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) reports.set(file, await tryFile(file));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return files.flatMap((file) => reports.get(file) ?? []);
}

/** Tries the clients of one file in a process of their own, whose chatter is not shown. */
async function tryFile(file: string): Promise<ClientReport[]> {
  const reports: ClientReport[] = [];
  const child = fork(join(import.meta.dirname, 'try-client.ts'), [file, JSON.stringify(pegboard)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk) => (said += String(chunk)));
  // try-client.ts sends nothing else.
  child.on('message', (message) => reports.push(message as ClientReport));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The clients of clients/${file}.ts could not be tried: ${said.slice(-2_000)}`);
  console.error(reports.map(({ name, version }) => `${name} ${version}`).join('\n'));
  return reports;
}
