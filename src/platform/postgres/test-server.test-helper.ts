import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** The folder with Debian's PostgreSQL server programs, if installed. */
export const POSTGRES_BIN: string | undefined = globSync('/usr/lib/postgresql/*/bin/initdb')
  .at(-1)
  ?.replace(/\/initdb$/, '');

/** A separate PostgreSQL server in a temporary folder. */
export interface TestServer {
  readonly url: string;
  /** The process that starts one more for each connection. */
  readonly pid: () => number | undefined;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server, as the user `postgres` when the tests run as root, because PostgreSQL refuses root. */
export async function startPostgres(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-pg-'));
  const user = process.getuid?.() === 0 ? findUser() : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, stdio: 'ignore' as const, cwd: folder };
  execFileSync(`${POSTGRES_BIN}/initdb`, ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync'], options);
  const port = await findPort();
  let child: ChildProcess | undefined;
  const end = async (signal: 'SIGKILL' | 'SIGINT'): Promise<void> => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await ended;
  };
  const server: TestServer = {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    pid: () => child?.pid,
    kill: () => end('SIGKILL'),
    async start() {
      const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=50'];
      // The next server can start only after the backends of a killed one have ended.
      for (;;) {
        child = spawn(`${POSTGRES_BIN}/postgres`, ['-D', data, '-k', folder, '-p', String(port), ...settings], options);
        while (child.exitCode === null) {
          if (isReady(folder, port)) return;
          await wait(50);
        }
        await wait(50);
      }
    },
    async close() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

function findUser(): { uid: number; gid: number } {
  const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  return { uid, gid };
}

function isReady(folder: string, port: number): boolean {
  try {
    execFileSync(`${POSTGRES_BIN}/pg_isready`, ['-q', '-h', folder, '-p', String(port)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Finds a free port. */
export async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
