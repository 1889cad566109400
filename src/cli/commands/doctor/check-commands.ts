import { serversIn } from '../../../features/servers/server-sections.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { describeOutput } from '../../../platform/process/describe-exit.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { findProgram, installHint } from '../../board/programs.ts';
import type { CliContext } from '../../cli-context.ts';
import { toCell } from '../../print/columns.ts';
import { type Check, Needs, type ToolNeed } from './check.ts';

const TIMEOUT = 3000;

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
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    grace: 200,
  });
  if (outcome.type === 'failed' || outcome.code !== 0) return undefined;
  const lines = `${describeOutput(outcome.stdout)}\n${describeOutput(outcome.stderr)}`.split('\n');
  const line = lines.find((candidate) => /\d+\.\d+|\d/.test(candidate));
  return line === undefined ? undefined : toCell(line).slice(0, 60);
}
