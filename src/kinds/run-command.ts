import { resolve } from 'node:path';
import type { ToolContext } from '../core/tool-context.ts';
import { outputsFor } from './outputs-for.ts';
import { childEnvironment } from '../process/child-environment.ts';
import type { ProcessOutcome } from '../process/process-request.ts';
import { runProcess } from '../process/run-process.ts';
import { sandboxArgv } from '../process/sandbox.ts';
import type { KindHost } from './kind-host.ts';
import type { RunSettings } from './tool-entry.ts';

/** A command ready to start. */
export interface ReadyCommand {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
}

/** Room for the remark that stands where output was left out. */
const REMARK = 512;
const DEFAULT_CAP = 1_048_576;

/** The whole environment and the sandbox of a command line. */
export function prepareCommand(
  line: { readonly argv: readonly string[]; readonly cwd: string | undefined; readonly stdin: string | undefined },
  running: RunSettings,
  host: KindHost,
): ReadyCommand {
  const cwd = line.cwd === undefined ? (running.workingDir ?? host.cwd) : resolve(host.cwd, line.cwd);
  const env = childEnvironment({ allowed: running.envPass, set: running.env, from: host.env });
  const [file = '', ...args] = line.argv;
  // Inside a sandbox the board's own folder is not there unless the config names it.
  const inside = line.cwd === undefined && running.workingDir === undefined ? undefined : cwd;
  const own = running.sandbox === undefined ? line.argv : wrap({ file, args, cwd: inside }, running.sandbox);
  return { argv: [...host.prefix, ...own], cwd, env, stdin: line.stdin };
}

function wrap(
  command: { readonly file: string; readonly args: readonly string[]; readonly cwd: string | undefined },
  sandbox: NonNullable<RunSettings['sandbox']>,
): readonly string[] {
  const { file, args } = sandboxArgv({
    ...command,
    folders: { read: sandbox.read, write: sandbox.write },
    network: sandbox.network,
  });
  return [file, ...args];
}

/** Runs a command for a call: ends with it, and keeps at most what the call may return. */
export function runCommand(
  command: ReadyCommand,
  context: ToolContext,
  options: { readonly host: KindHost; readonly maxOutput: number | undefined },
): Promise<ProcessOutcome> {
  const [file = '', ...args] = command.argv;
  const { outputs } = options.host;
  const limit = Math.max(1024, (options.maxOutput ?? DEFAULT_CAP) - REMARK);
  return runProcess({
    file,
    args,
    cwd: command.cwd,
    env: command.env,
    stdin: command.stdin,
    signal: AbortSignal.any([context.signal, options.host.closed]),
    capture: { limit, spill: outputs && outputsFor(context, outputs) },
    ...(options.host.spawner === undefined ? {} : { spawner: options.host.spawner }),
  });
}
