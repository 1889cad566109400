import { readFileSync } from 'node:fs';
import { childEnvironment } from './child-environment.ts';
import { describeExit, describeOutput } from './describe-exit.ts';
import { listTree, type ProcessTree } from './trees/kill-tree.ts';
import type { LimitName, ProcessExit } from './process-request.ts';
import { runProcess } from './run-process.ts';

/** Resource limits of a command and its child processes. */
export interface CommandLimits extends Readonly<Record<LimitName, number | undefined>> {
  /** Seconds of CPU time per process. */
  readonly cpu: number | undefined;
  /** Bytes of memory, per process and for all together. */
  readonly memory: number | undefined;
  /** Maximum number of processes, including itself. */
  readonly processes: number | undefined;
  /** Bytes per written file. */
  readonly fileSize: number | undefined;
}

/** The names of the limits in config files. */
const NAMES: Readonly<Record<LimitName, string>> = {
  cpu: 'cpu',
  memory: 'memory',
  processes: 'processes',
  fileSize: 'file_size',
};
const UNITS: Readonly<Record<LimitName, string>> = {
  cpu: 's of CPU time',
  memory: 'of memory',
  processes: 'processes',
  fileSize: 'a file',
};
const SIZES = [
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['KB', 1024],
] as const;
const SIGNALS: Readonly<Record<string, LimitName>> = { SIGXCPU: 'cpu', SIGXFSZ: 'fileSize' };
/** Exit codes of a shell whose child was ended by one of the signals. */
const EXIT_CODES: Readonly<Record<number, LimitName>> = { 152: 'cpu', 153: 'fileSize' };
const NO_MEMORY =
  /out of memory|cannot allocate memory|memory exhausted|memoryerror|bad_alloc|enomem|allocation failed|cannot enlarge memory/i;

/** Wraps a command line so that the kernel enforces its limits. `prlimit` replaces itself with the command. */
export function limitArgv({ cpu, memory, fileSize }: CommandLimits, argv: readonly string[]): readonly string[] {
  const options = [
    // The soft limit sends a recognizable signal; the hard limit ends the process a second later.
    ...(cpu === undefined ? [] : [`--cpu=${cpu}:${cpu + 1}`]),
    // Limits memory in use: programs reserve far more address space.
    ...(memory === undefined ? [] : [`--data=${memory}:${memory}`]),
    ...(fileSize === undefined ? [] : [`--fsize=${fileSize}:${fileSize}`]),
  ];
  return options.length === 0 ? argv : ['prlimit', '--core=0:0', ...options, '--', ...argv];
}

/** Returns the exceeded limit of a running tree, of those that the kernel enforces only per process. */
export function findExceeded(tree: ProcessTree, { memory, processes }: CommandLimits): LimitName | undefined {
  const pids = listTree(tree);
  if (processes !== undefined && pids.length > processes) return 'processes';
  if (memory !== undefined && pids.reduce((sum, pid) => sum + readMemory(pid), 0) > memory) return 'memory';
  return undefined;
}

/** Describes the limit that ended a command, for its result; `undefined` if none did. */
export function describeLimit(exit: ProcessExit, limits: CommandLimits): string | undefined {
  const name = exit.exceeded ?? guessLimit(exit, limits);
  const value = name === undefined ? undefined : limits[name];
  if (name === undefined || value === undefined) return undefined;
  return `[ended by limits.${NAMES[name]}: ${formatLimit(name, value)}]`;
}

/** Formats a limit for people: `20 s of CPU time`, `512 MB of memory`. */
export function formatLimit(name: LimitName, value: number): string {
  const [unit, size] = SIZES.find(([, bytes]) => value % bytes === 0) ?? ['bytes', 1];
  const amount = name === 'memory' || name === 'fileSize' ? `${value / size} ${unit}` : value;
  return `${amount} ${UNITS[name]}`;
}

function guessLimit(exit: ProcessExit, limits: CommandLimits): LimitName | undefined {
  const { code, signal } = exit;
  const told = signal === null ? EXIT_CODES[code ?? 0] : SIGNALS[signal];
  if (told !== undefined && limits[told] !== undefined) return told;
  if (code === 0) return undefined;
  const errors = describeOutput(exit.stderr);
  if (limits.memory !== undefined && (signal === 'SIGSEGV' || NO_MEMORY.test(errors))) return 'memory';
  if (limits.fileSize !== undefined && /file too large|efbig/i.test(errors)) return 'fileSize';
  // It ignored the first signal.
  return limits.cpu !== undefined && signal === 'SIGKILL' ? 'cpu' : undefined;
}

/** Returns the bytes of memory that a process uses. */
function readMemory(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

let checked: Promise<{ readonly problem: string | undefined; readonly version: string }> | undefined;

/** Returns the reason why limits do not work on this system, if any. Checks once. */
export async function findLimitsProblem(): Promise<string | undefined> {
  return (await (checked ??= tryLimits())).problem;
}

/** Describes how limits are enforced on this system. */
export async function describeLimits(): Promise<string> {
  const { problem, version } = await (checked ??= tryLimits());
  return (
    problem ??
    `${version}: CPU time, memory and file size of each process; /proc: processes, and the memory of all together`
  );
}

async function tryLimits(): Promise<{ problem: string | undefined; version: string }> {
  const env = childEnvironment({ from: process.env });
  const outcome = await runProcess({ file: 'prlimit', args: ['--version'], env, signal: AbortSignal.timeout(10_000) });
  const text = describeExit(outcome).trim();
  if (outcome.type === 'exited' && outcome.code === 0) return { problem: undefined, version: text };
  const problem =
    outcome.type === 'failed' && outcome.reason === 'not_found'
      ? 'limits need prlimit, which is part of util-linux on Linux and is not installed here. Install util-linux, or remove limits'
      : `limits need prlimit, which does not work on this system: ${text}`;
  return { problem, version: '' };
}
