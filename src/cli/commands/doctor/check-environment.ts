import { existsSync } from 'node:fs';
import { serversIn } from '../../../features/servers/server-sections.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { type Check, type ToolNeed, Needs } from './check.ts';
import { connect } from 'node:net';
import type { CliContext } from '../../shared/cli-context.ts';
import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { describeOutput } from '../../../platform/process/describe-exit.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { findProgram, installHint } from '../../shared/board/programs.ts';
import { toCell } from '../../shared/print/columns.ts';

const LEAST_NODE = [22, 13] as const;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const detail = isEnough ? version : `${version}; needs ${LEAST_NODE.join('.')} or later`;
  return { kind: 'node', name: 'node', status: isEnough ? 'ok' : 'missing', detail, tools: [] };
}

/** Checks that command lines can be sandboxed and that the sandbox's folders exist, if a tool uses it. */
export async function checkSandbox(needed: readonly ToolNeed[]): Promise<Check[]> {
  const boxed = needed.flatMap(({ tool, finding }) =>
    finding.need === 'sandbox' ? [{ tool, folders: finding.folders }] : [],
  );
  const tools = boxed.map(({ tool }) => tool);
  if (tools.length === 0) return [];
  const { findSandboxProblem, describeSandbox } = await import('../../../platform/process/sandbox.ts');
  const problem = await findSandboxProblem();
  const status = problem === undefined ? 'ok' : 'missing';
  const gone = [...new Set(boxed.flatMap(({ folders }) => folders))].filter((folder) => !existsSync(folder));
  return [
    { kind: 'sandbox', name: 'bwrap', status, detail: problem ?? describeSandbox(), tools },
    ...gone.map((folder): Check => {
      const users = boxed.filter(({ folders }) => folders.includes(folder)).map(({ tool }) => tool);
      return { kind: 'sandbox', name: folder, status: 'missing', detail: 'does not exist', tools: users };
    }),
  ];
}

/** Checks the program that enforces limits of commands, if a tool has limits. */
export async function checkLimits(needed: readonly ToolNeed[]): Promise<Check[]> {
  const tools = needed.flatMap(({ tool, finding }) => (finding.need === 'limits' ? [tool] : []));
  if (tools.length === 0) return [];
  const { describeLimits, findLimitsProblem } = await import('../../../platform/process/command-limits.ts');
  const status = (await findLimitsProblem()) === undefined ? 'ok' : 'missing';
  return [{ kind: 'limits', name: 'prlimit', status, detail: await describeLimits(), tools }];
}

/** Reports how child processes of commands are found on this system. */
export async function checkProcesses(files: readonly LoadedFile[], needed: readonly ToolNeed[]): Promise<Check[]> {
  const hasServers = files.some((file) => Object.keys(serversIn(file)).length > 0);
  if (!hasServers && !needed.some(({ finding }) => finding.need === 'command')) return [];
  const { describeTracking } = await import('../../../platform/process/trees/call-mark.ts');
  return [{ kind: 'processes', name: 'found by', status: 'ok', detail: describeTracking(), tools: [] }];
}

/** Collects the checks that kinds made themselves, such as files of scripts and databases. */
export function checkOwn(needed: readonly ToolNeed[]): Check[] {
  return needed.flatMap(({ tool, finding }): Check[] => {
    if (finding.need !== 'own') return [];
    const { need: _, ...check } = finding;
    return [{ ...check, tools: [tool] }];
  });
}

const CONNECT_TIMEOUT = 5000;

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
    const socket = connect({ host, port: Number(address.slice(at + 1)), timeout: CONNECT_TIMEOUT, signal });
    const end = (problem: string | undefined): void => {
      socket.destroy();
      settle(problem);
    };
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end(`no answer in ${CONNECT_TIMEOUT / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => end(describe(error)));
  });
}

function describe({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name cannot be resolved';
  return code === 'ECONNREFUSED' ? 'refuses connections' : message;
}

const VERSION_TIMEOUT = 3000;

/** Checks that the commands of tools are installed, and reads their versions. */
export async function checkCommands(
  files: readonly LoadedFile[],
  needed: readonly ToolNeed[],
  context: CliContext,
): Promise<Check[]> {
  const needs = new Needs();
  for (const { tool, finding } of needed) if (finding.need === 'command') needs.add(finding.name, tool);
  for (const [name, server] of files.flatMap((file) => Object.entries(serversIn(file)))) {
    if (server.command !== undefined) needs.add(server.command, name);
  }
  return Promise.all(needs.list().map(({ need, tools }) => checkCommand(need, tools, context)));
}

async function checkCommand(command: string, tools: readonly string[], context: CliContext): Promise<Check> {
  const path = findProgram(command, context);
  if (path === undefined) {
    const hint = installHint(command);
    const where = command.includes('/') ? 'does not exist or is not executable' : 'is not in PATH';
    const detail = hint === undefined ? where : `${where}; install it: ${hint}`;
    return { kind: 'command', name: command, status: 'missing', detail, tools };
  }
  // A script of the project may run for any argument, so only installed programs are asked for their version.
  const version = command.includes('/') ? undefined : await readVersion(path, context);
  return { kind: 'command', name: command, status: 'ok', detail: version ?? path, tools };
}

/** Runs `--version` and returns the first line with a number. */
async function readVersion(file: string, { env, cwd, signal }: CliContext): Promise<string | undefined> {
  const outcome = await runProcess({
    file,
    args: ['--version'],
    cwd,
    env: childEnvironment({ from: env }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(VERSION_TIMEOUT)]),
    grace: 200,
  });
  if (outcome.type === 'failed' || outcome.code !== 0) return undefined;
  const lines = `${describeOutput(outcome.stdout)}\n${describeOutput(outcome.stderr)}`.split('\n');
  const line = lines.find((candidate) => /\d+\.\d+|\d/.test(candidate));
  return line === undefined ? undefined : toCell(line).slice(0, 60);
}
