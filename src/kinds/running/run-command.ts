import { isAbsolute, resolve } from 'node:path';
import { sharerOf } from '../../tool/calls/call-owner.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { outputsFor } from '../../platform/outputs/output-store.ts';
import { type CommandLimits, findExceeded, limitArgv } from '../../platform/process/command-limits.ts';
import { childEnvironment, WITHOUT_TERMINAL } from '../../platform/process/child-environment.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import type { ProcessOutcome, ProcessOutputs } from '../../platform/process/process-request.ts';
import { runProcess } from '../../platform/process/run-process.ts';
import { sandboxArgv } from '../../platform/process/sandbox.ts';
import type { DryCommand, KindHost } from '../kind.ts';
import type { CommandProgress } from './report-progress.ts';
import type { RunSettings } from './run-settings.ts';
import { isGit, withGitSettings } from './git-settings.ts';
import { baseFolder, findHidden, type HiddenFolder, hideData } from './working-folders.ts';

/** A command ready to start. */
export interface ReadyCommand {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | Uint8Array | undefined;
  readonly limits?: CommandLimits | undefined;
  /** The board's data folder, if the command would find it by walking. */
  readonly hidden?: HiddenFolder | undefined;
  /** The git command line on this machine, and the folder that the config chose; `undefined` for others. */
  readonly git?: { readonly argv: readonly string[]; readonly base: string } | undefined;
}

/** Room for the remark that replaces omitted output. */
const REMARK = 512;
const DEFAULT_CAP = 1_048_576;

/** The parts of a command. */
interface CommandParts {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly stdin: string | Uint8Array | undefined;
  /** The folder with the files of the call. */
  readonly folder?: string | undefined;
}

/** Returns a command line with its whole environment and its sandbox. */
export function prepareCommand(line: CommandParts, running: RunSettings, host: KindHost): ReadyCommand {
  const base = baseFolder(running, host);
  const cwd = line.cwd === undefined ? base : resolve(base, line.cwd);
  const env = childEnvironment({ allowed: running.envPass, set: running.env, from: host.env });
  const [written = '', ...args] = line.argv;
  const file = host.prefix.length === 0 ? placeProgram(written, running, cwd) : written;
  // A sandbox contains the board's own folder only if the config names it.
  const inside = line.cwd === undefined && running.workingDir === undefined ? undefined : cwd;
  const { sandbox } = running;
  const read = [...(sandbox?.read ?? []), ...(line.folder === undefined ? [] : [line.folder])];
  const data = findHidden(sandbox === undefined ? [cwd] : [...read, ...sandbox.write], host);
  const own = sandbox === undefined ? [file, ...args] : wrap({ file, args, cwd: inside }, { ...sandbox, read }, data);
  const { limits } = running;
  const limited = limits === undefined ? own : limitArgv(limits, own);
  const git = host.prefix.length === 0 && isGit(written) ? { argv: line.argv, base } : undefined;
  const hidden = data === undefined ? undefined : { folder: data, isDone: sandbox !== undefined };
  return { argv: [...host.prefix, ...limited], cwd, env, stdin: line.stdin, limits, hidden, git };
}

/**
 * Returns the program to start. A relative path refers to the entry's own folder, not to one that a call chose; unchanged if both
 * are the same.
 */
function placeProgram(file: string, { programFolder, sandbox }: RunSettings, cwd: string): string {
  if (!file.includes('/') || isAbsolute(file) || programFolder === undefined) return file;
  return programFolder === cwd && sandbox === undefined ? file : resolve(programFolder, file);
}

function wrap(
  command: { readonly file: string; readonly args: readonly string[]; readonly cwd: string | undefined },
  { read, write, network }: NonNullable<RunSettings['sandbox']>,
  hidden: string | undefined,
): readonly string[] {
  const { file, args } = sandboxArgv({ ...command, folders: { read, write }, network, hidden });
  return [file, ...args];
}

/** Options for running a command in a call. */
interface CommandOptions {
  readonly host: KindHost;
  readonly maxOutput: number | undefined;
  /** The paths of the entry. A command that opens no files needs no hidden folder. */
  readonly paths: readonly unknown[] | undefined;
  /** The output of earlier commands. */
  readonly earlier?: readonly string[];
  /** Reports its output to the caller. */
  readonly progress?: CommandProgress | undefined;
}

/** Runs the work of a call with reports of its commands' output, if the entry asks for that. */
export async function withProgress<T>(
  { progress: style }: RunSettings,
  context: ToolContext,
  work: (progress: CommandProgress | undefined) => Promise<T>,
): Promise<T> {
  if (style === undefined) return work(undefined);
  const { reportProgress } = await import('./report-progress.ts');
  const progress = reportProgress(context, style);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

/**
 * Runs a command for a call in one of the board's slots: it ends with the call, and keeps at most the output that the call may
 * return.
 */
export async function runCommand(
  command: ReadyCommand,
  context: ToolContext,
  { host, maxOutput, paths, earlier = [], progress }: CommandOptions,
): Promise<ProcessOutcome> {
  const [file = '', ...args] = await hideData(command, paths);
  const { limits } = command;
  const { outputs, processes, spawner } = host;
  const limit = Math.max(1024, (maxOutput ?? DEFAULT_CAP) - REMARK);
  const signal = AbortSignal.any([context.signal, host.closed]);
  let readsNothing: string | undefined;
  const safe = withGitSettings(command.env);
  const env =
    command.git === undefined ? safe : await checkGit({ ...command, env: safe }, command.git, { host, signal });
  const place = processes.enter(sharerOf(context), signal);
  // Queue time does not count toward the timeout. A cancelled wait finds its signal aborted below.
  const leave = typeof place === 'function' ? place : await context.untimed(place.catch(() => () => {}));
  try {
    const outcome = await runProcess({
      file,
      args,
      cwd: command.cwd,
      env: { ...WITHOUT_TERMINAL, ...env },
      stdin: command.stdin,
      signal,
      capture: { limit, spill: outputs && outputsFor(context, outputs) },
      findExceeded: limits && hasTreeLimits(limits) ? (tree) => findExceeded(tree, limits) : undefined,
      watchQuestion: async (tree, soFar) => {
        const { watchQuestion } = await import('../../platform/process/watch-question.ts');
        const { READS_NOTHING } = await import('../../platform/process/find-question.ts');
        return watchQuestion(tree, soFar, (isIdle) => (readsNothing = isIdle ? READS_NOTHING : undefined));
      },
      onOutput: progress?.listen(),
      onStart: (peek) => context.keepOnEnd(() => joinLines([describeSoFar(peek(), earlier), readsNothing ?? ''])),
      ...(spawner === undefined ? {} : { spawner }),
    });
    return command.stdin === undefined ? await withPrompt(outcome, command) : outcome;
  } finally {
    leave();
  }
}

/** Returns the environment for git if it runs no stranger's code. Otherwise throws `permission_denied`. */
export async function checkGit(
  { cwd, env }: Pick<ReadyCommand, 'cwd' | 'env'>,
  { argv, base }: NonNullable<ReadyCommand['git']>,
  { host, signal }: { readonly host: KindHost; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, string>>> {
  const { checkRepository } = await import('./check-repository.ts');
  return checkRepository({ argv, cwd: cwd ?? base, base, env, trusted: host.trustedRepositories ?? [], signal });
}

/** Adds the hidden prompt of a script that failed, or that succeeded without output. */
async function withPrompt(outcome: ProcessOutcome, { argv, cwd }: ReadyCommand): Promise<ProcessOutcome> {
  if (outcome.type === 'failed' || ((outcome.code ?? 0) === 0 && !isSilent(outcome))) return outcome;
  const { findScriptPrompt } = await import('./find-script-prompt.ts');
  const unseenPrompt = await findScriptPrompt(argv, cwd);
  return unseenPrompt === undefined ? outcome : { ...outcome, unseenPrompt };
}

function isSilent({ stdout, stderr }: ProcessOutputs): boolean {
  return [stdout, stderr].every((output) => output.type === 'whole' && output.bytes.length === 0);
}

/** True when the board must watch the processes: the kernel enforces the other limits. */
function hasTreeLimits({ memory, processes }: CommandLimits): boolean {
  return memory !== undefined || processes !== undefined;
}

/** Returns the output before the call was ended; empty if there is none. */
function describeSoFar({ stdout, stderr }: ProcessOutputs, earlier: readonly string[]): string {
  const printed = joinLines([...earlier, describeOutput(stdout)]);
  const errors = describeOutput(stderr);
  if (printed === '' && errors === '') return '';
  return `[output so far]\n${printed}${errors === '' ? '' : `\n[stderr]\n${errors}`}`;
}

function joinLines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** Decodes a value: text, or bytes in base64. Throws `invalid_arguments` for anything else. */
export function decodeContents(text: string, encoding: 'text' | 'base64', argument: string): string | Uint8Array {
  const fail = (reason: string): never => {
    const message = `Argument "${argument}" ${reason}.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: argument, reason });
  };
  if (encoding === 'text') {
    return text.isWellFormed() ? text : fail('contains half of a surrogate pair, which has no bytes in UTF-8');
  }
  const plain = text.replaceAll(/\s+/g, '');
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(plain) && plain.length % 4 === 0;
  return isBase64 ? Buffer.from(plain, 'base64') : fail('must be base64 (A-Z a-z 0-9 + /, padded with =)');
}

/** Describes a command for a dry run. */
export function toDryCommand(
  { argv, cwd, env, stdin }: ReadyCommand,
  files: readonly { readonly name: string; readonly contents: string | Uint8Array }[] = [],
): DryCommand {
  const words = [...argv, ...Object.values(env)];
  const sized = files
    .filter(({ name }) => words.some((word) => word.includes(`/${name}`)))
    .map(({ name, contents }) => ({ name, bytes: Buffer.byteLength(contents) }));
  const bytes = stdin === undefined ? undefined : Buffer.byteLength(stdin);
  return {
    type: 'command',
    argv,
    cwd,
    env: Object.keys(env).toSorted(),
    stdin: bytes,
    ...(sized.length === 0 ? {} : { files: sized }),
  };
}
