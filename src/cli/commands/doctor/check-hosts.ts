import { serversIn } from '../../../features/servers/server-sections.ts';
import { connect } from 'node:net';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import type { CliContext } from '../../cli-context.ts';
import { type Check, Needs, type ToolNeed } from './check.ts';

const TIMEOUT = 5000;

/** Checks that the hosts of http tools are reachable: opens and closes a connection, without a request. */
export async function checkHosts(
  files: readonly LoadedFile[],
  needed: readonly ToolNeed[],
  context: CliContext,
): Promise<Check[]> {
  const needs = new Needs();
  for (const { tool, finding } of needed) if (finding.need === 'host') addHost(needs, finding.url, tool);
  for (const [name, server] of files.flatMap((file) => Object.entries(serversIn(file)))) {
    if (server.url !== undefined) addHost(needs, server.url, name);
  }
  return Promise.all(
    needs.list().map(async ({ need, tools }): Promise<Check> => {
      const problem = await tryConnect(need, context.signal);
      const status = problem === undefined ? 'ok' : 'missing';
      return { kind: 'host', name: need, status, detail: problem ?? 'reachable', tools };
    }),
  );
}

/** Adds the host of a URL, unless an argument decides it. */
function addHost(needs: Needs, url: string, tool: string): void {
  const origin = /^(https?):\/\/([^/?#]+)/i.exec(url);
  if (origin === null || (origin[2] ?? '').includes('{{')) return;
  const { protocol, hostname, port } = new URL(origin[0]);
  needs.add(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`, tool);
}

/** Connects to an address. Returns the problem, or `undefined` on success. */
function tryConnect(address: string, signal: AbortSignal): Promise<string | undefined> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replaceAll(/^\[|\]$/g, '');
  return new Promise((settle) => {
    const socket = connect({ host, port: Number(address.slice(at + 1)), timeout: TIMEOUT, signal });
    const end = (problem: string | undefined): void => {
      socket.destroy();
      settle(problem);
    };
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end(`no answer in ${TIMEOUT / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => end(describe(error)));
  });
}

function describe({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name cannot be resolved';
  return code === 'ECONNREFUSED' ? 'refuses connections' : message;
}
