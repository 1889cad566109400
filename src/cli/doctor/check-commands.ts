import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { ToolEntry } from '../../kinds/tool-entry.ts';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import { runProcess } from '../../platform/process/run-process.ts';
import type { CliContext } from '../cli-context.ts';
import { toCell } from '../print/columns.ts';
import { type Check, Needs } from './check.ts';

const TIMEOUT = 3000;

/** Whether the commands of tools are installed, and which version. */
export async function checkCommands(files: readonly LoadedFile[], context: CliContext): Promise<Check[]> {
  const needs = new Needs();
  for (const { file, dialect, entries, mcpServers } of files) {
    const folder = dialect === 'climax' ? context.cwd : dirname(resolve(context.cwd, file));
    for (const entry of entries) {
      for (const command of commandsOf(entry, folder, context.cwd)) needs.add(command, entry.metadata.name);
    }
    for (const [name, server] of Object.entries(mcpServers)) {
      const command = typeof server === 'object' && server !== null && 'command' in server ? server.command : undefined;
      if (typeof command === 'string') needs.add(command, name);
    }
  }
  return Promise.all(needs.list().map(({ need, tools }) => checkCommand(need, tools, context)));
}

/** Programs a tool starts: names, or paths from the folder that the command runs in, as short as they can be. */
function commandsOf(entry: ToolEntry, folder: string, cwd: string): string[] {
  if (entry.type !== 'cli' && entry.type !== 'run') return [];
  const { workingDir } = entry.running;
  const steps =
    entry.type === 'cli'
      ? entry.command.slice(0, 1).map((cmd) => ({ cmd, folder: workingDir }))
      : entry.commands.map((command) => ({ cmd: command.cmd, folder: command.workingDir ?? workingDir }));
  return steps.map(({ cmd, folder: own }) => {
    if (!cmd.includes('/') || isAbsolute(cmd)) return cmd;
    const path = relative(cwd, resolve(own === undefined ? cwd : resolve(folder, own), cmd));
    return path.includes('/') ? path : `./${path}`;
  });
}

async function checkCommand(command: string, tools: readonly string[], context: CliContext): Promise<Check> {
  const path = findProgram(command, context);
  if (path === undefined) {
    const detail = command.includes('/') ? 'is not there, or not executable' : 'is not in PATH';
    return { kind: 'command', name: command, status: 'missing', detail, tools };
  }
  // A script of the project may do its work whatever it is asked: only what is installed is asked for its version.
  const version = command.includes('/') ? undefined : await readVersion(path, context);
  return { kind: 'command', name: command, status: 'ok', detail: version ?? path, tools };
}

/** The program that a name or path stands for, as the system would find it. */
function findProgram(command: string, { env, cwd }: Pick<CliContext, 'env' | 'cwd'>): string | undefined {
  const candidates = command.includes('/')
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder || '.', command));
  return candidates.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The first line with a number that a program prints for `--version`. */
async function readVersion(file: string, { env, cwd, signal }: CliContext): Promise<string | undefined> {
  const outcome = await runProcess({
    file,
    args: ['--version'],
    cwd,
    env: childEnvironment({ from: env }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    grace: 200,
  });
  if (outcome.type === 'failed' || outcome.code !== 0) return undefined;
  const lines = `${describeOutput(outcome.stdout)}\n${describeOutput(outcome.stderr)}`.split('\n');
  const line = lines.find((candidate) => /\d+\.\d+|\d/.test(candidate));
  return line === undefined ? undefined : toCell(line).slice(0, 60);
}
