import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { BenchMachine, endServer, isOf, memoryOf, message, type Started } from './bench-machine.ts';

/** The processes of some clients and servers, with their memory in bytes. */
export interface Crowd {
  readonly processes: number;
  readonly servers: number;
  readonly memory: number;
}

type Servers = Readonly<
  Record<string, { readonly args: readonly string[]; readonly tool: string; readonly given?: object }>
>;

const require = createRequire(import.meta.url);
const official = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist/index.js');

/** Servers of npm packages, and a tool of each. */
export function officialServers(folder: string): Servers {
  const memory = { args: [official('memory')], tool: 'read_graph' };
  const files = { args: [official('filesystem'), folder], tool: 'list_allowed_directories' };
  return {
    everything: { args: [official('everything'), 'stdio'], tool: 'echo', given: { message: 'hi' } },
    files,
    notes: memory,
    archive: files,
    facts: memory,
  };
}

/** Small servers of our own. */
export function rawServers(count: number): Servers {
  const args = [join(import.meta.dirname, '../gateway/raw-server.ts')];
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`s${at}`, { args, tool: 'echo', given: { text: 'hi' } }]),
  );
}

/** Starts clients that each call a tool of each server, without anything between them. */
export async function measureDirect(servers: Servers, clients: number): Promise<Crowd> {
  const machine = new BenchMachine();
  // Marks the processes.
  Object.assign(machine.env, { MARK: machine.folder });
  const started: Started[] = [];
  for (let client = 0; client < clients; client++)
    for (const { args } of Object.values(servers)) started.push(await machine.start(args));
  const crowd = countOf(machine, () => true);
  await Promise.all(started.map(endServer));
  await machine.close();
  return crowd;
}

/** Starts clients of Pegboard that each call a tool of each server. */
export async function measureBoard(
  servers: Servers,
  { clients, options = [] }: { readonly clients: number; readonly options?: readonly string[] },
): Promise<Crowd> {
  const machine = new BenchMachine();
  const mark = `of-${machine.folder.slice(1).replaceAll('/', '-')}`;
  const entries = Object.entries(servers).map(([name, { args }]) => [
    name,
    { command: process.execPath, args, protocol: '2025-11-25', env: { MARK: `${machine.folder} ${mark}` } },
  ]);
  const folder = machine.write('board', { serve: { mode: 'classic' }, mcpServers: Object.fromEntries(entries) });
  const fronts = await Promise.all(
    Array.from({ length: clients }, () => machine.start(machine.command('serve', ...options), folder)),
  );
  for (const { child } of fronts) {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('A client has no streams.');
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    const wanted = new Set<number>();
    for (const [name, { tool, given = {} }] of Object.entries(servers)) {
      const id = wanted.size + 2;
      wanted.add(id);
      stdin.write(message(id, 'tools/call', { name: `${name}__${tool}`, arguments: given }));
    }
    for await (const line of createInterface({ input: stdout })) {
      const { id, result } = JSON.parse(line);
      if (result?.isError === true) throw new Error(line);
      wanted.delete(id);
      if (wanted.size === 0) break;
    }
  }
  const crowd = countOf(machine, (pid) => isOf(pid, mark));
  await Promise.all(fronts.map(endServer));
  await machine.close();
  return crowd;
}

function countOf(machine: BenchMachine, isServer: (pid: number) => boolean): Crowd {
  const pids = machine.processes();
  return {
    processes: pids.length,
    servers: pids.filter(isServer).length,
    memory: pids.reduce((sum, pid) => sum + memoryOf(pid), 0),
  };
}
