import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import { runProcess } from '../../platform/process/run-process.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { commonKnowledge, hasTrait, knownOf } from '../packs/knowledge.ts';

/** The output of a command that was asked for information. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  /** `undefined` when it was killed. */
  readonly code: number | undefined;
}

/** Runs a command line that only prints information about a command; throws for any other. */
export type Ask = (argv: readonly string[]) => Promise<Answer>;

const TIMEOUT = 10_000;

interface AskOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Milliseconds for one answer. Default: 10,000. */
  readonly timeout?: number;
}

/** Creates a function that asks commands for their help: without terminal and input, for a limited time. */
export function createAsk({ env, cwd, signal, timeout = TIMEOUT }: AskOptions): Ask {
  const childEnv = childEnvironment({ from: env, set: commonKnowledge().environment });
  let groff: string | undefined;
  let repository: string | undefined;
  /**
   * Returns the environment of a question; one that ends in `help` may print a formatted manual, of which the source is needed.
   */
  const envFor = (argv: readonly string[]): Record<string, string> => {
    const variable = knownOf(argv[0] ?? '', 'repository');
    if (variable !== undefined) return { ...childEnv, [variable]: (repository ??= makeRepository()) };
    if (argv.at(-1) !== 'help' || knownOf(argv[0] ?? '', 'help') !== 'manual') return childEnv;
    groff ??= makePlainGroff();
    return { ...childEnv, PATH: `${groff}${delimiter}${childEnv['PATH'] ?? ''}` };
  };
  return async (argv) => {
    if (!isQuestion(argv)) throw new Error(`"${argv.join(' ')}" may do more than print information about itself`);
    const [file = '', ...args] = argv;
    const stop = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    const outcome = await runProcess({ file, args, cwd, env: envFor(argv), signal: stop, stdin: '' });
    if (outcome.type === 'failed') throw new ToolError({ code: 'execution_failed', message: outcome.message });
    // Help texts may show defaults in the home folder, which does not belong in a shared file.
    const home = env['HOME'] ?? '';
    const tell = (text: string): string => (home.length > 1 ? text.replaceAll(`${home}/`, '~/') : text);
    return {
      stdout: tell(describeOutput(outcome.stdout)),
      stderr: tell(describeOutput(outcome.stderr)),
      code: outcome.code ?? undefined,
    };
  };
}

/** Creates an empty repository that is removed when the process ends. */
function makeRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-repository-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  return folder;
}

/** True when a command line only prints information about a command: help, a manual or completions. */
export function isQuestion([program = '', ...args]: readonly string[]): boolean {
  const [first = '', second = ''] = args;
  const last = args.at(-1) ?? '';
  if (program === 'man') return true;
  // Cobra's hidden command, which prints the words that may come next.
  if (first === '__complete' || first === '__completeNoDesc') return true;
  if (args.includes('-h') && hasTrait(program, 'halts')) return false;
  // `git help -a`, `curl --help all`, `kubectl options`.
  if (/^(?:help|--help|-help)$/.test(first) || (first === '-h' && args.length <= 2)) return true;
  if (first === 'options' && second === '') return true;
  return /^(?:--help|-help|-h|help)$/.test(last);
}

/**
 * Creates a folder with a `groff` that prints its input. Help that is a manual page goes through `groff`, which few machines have
 * and which drops parts of the source; with this one first in `PATH` the source is printed. Removed when the process ends.
 */
function makePlainGroff(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-groff-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['groff', 'mandoc']) {
    const file = join(folder, name);
    writeFileSync(file, '#!/bin/sh\nexec cat\n');
    chmodSync(file, 0o755);
  }
  return folder;
}

const MAX_LINE = 256;

/** True when a file is a script: its first line names its interpreter. */
export function isScriptFile(file: string): boolean {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const start = Buffer.alloc(MAX_LINE);
    const length = readSync(handle, start, 0, MAX_LINE, 0);
    return /^#! ?\//.test(start.toString('latin1', 0, length));
  } catch {
    return false;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
