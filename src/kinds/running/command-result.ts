import { statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { SureRefusal } from '../../tool/tool-marks.ts';
import { explainSpawnError } from '../../platform/process/run-process.ts';
import { checkGit, type ReadyCommand } from './run-command.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import { describeLimit } from '../../platform/process/command-limits.ts';
import { decodeOutput } from '../../platform/outputs/decode-output.ts';
import type { CapturedOutput } from '../../platform/outputs/output-capture.ts';
import { describeExit, describeOutput } from '../../platform/process/describe-exit.ts';
import type { ProcessExit, ProcessOutcome } from '../../platform/process/process-request.ts';
import type { KindHost } from '../kind.ts';
import type { OutputStyle, RunSettings } from './run-settings.ts';

/** Characters shown of each stream of a command that was stopped at a question. */
const MOST_ASKING = 500;

/** Characters shown of the stderr of a successful command. */
const MOST_REMARKS = 2_000;

/** Creates the result of a command: its output, or an error with its output and exit code. */
export async function commandResult(
  outcome: ProcessOutcome,
  running: Pick<RunSettings, 'output' | 'exitCodes' | 'limits'>,
  host: Pick<KindHost, 'redact'>,
): Promise<ToolResult> {
  const result = await readOutcome(outcome, running, host);
  if (outcome.type === 'failed' || outcome.stdout.type === 'whole') return result;
  const { size, stored } = outcome.stdout;
  if (stored === undefined) return result;
  // The full output is stored; truncation reuses its id.
  const truncated = { from: size, to: result.text.length, id: stored.id };
  return result.with({ meta: { ...result.meta, truncated } });
}

async function readOutcome(
  outcome: ProcessOutcome,
  running: Pick<RunSettings, 'output' | 'exitCodes' | 'limits'>,
  { redact }: Pick<KindHost, 'redact'>,
): Promise<ToolResult> {
  if (outcome.type === 'failed') {
    const code = outcome.reason === 'cancelled' ? 'cancelled' : 'execution_failed';
    return ToolResult.error(new ToolError({ code, message: outcome.message }));
  }
  const meaning = outcome.code === null ? undefined : running.exitCodes[outcome.code];
  const isFailure =
    outcome.question !== undefined || typeof meaning === 'object' || (outcome.code !== 0 && meaning === undefined);
  const question = await questionOf(outcome, { isFailure, redact });
  if (isFailure) {
    const { error, retry = false } = typeof meaning === 'object' ? meaning : {};
    const limit = running.limits && describeLimit(outcome, running.limits);
    const details = outcome.question === undefined ? describeExit(outcome, error) : describeAsking(outcome, redact);
    const message = [details, limit, question].filter((line) => line !== undefined).join('\n');
    return ToolResult.error(new ToolError({ code: 'execution_failed', message, recoverable: retry }));
  }
  const { output } = running;
  const isEmpty = outcome.stdout.type === 'whole' && outcome.stdout.bytes.length === 0;
  // An exit code with a meaning may be the whole answer.
  const isParsed = output !== undefined && !(output.type === 'json' && isEmpty && meaning !== undefined);
  const result = isParsed
    ? (await import('./parse-output.ts')).parseOutput(outcome, output, redact)
    : (binaryResult(outcome) ?? textResult(outcome, question === undefined && meaning === undefined));
  if (result.failed() || (meaning === undefined && question === undefined)) return result;
  const details = [
    ...(meaning === undefined ? [] : [`[exit code ${outcome.code}: ${meaning}]`]),
    ...(question === undefined ? [] : [question]),
  ].join('\n');
  return result.with({ text: result.text === '(no output)' ? details : `${result.text}\n${details}` });
}

/** Returns the command's unanswered question, for the model. */
async function questionOf(
  outcome: ProcessExit,
  { isFailure, redact }: { readonly isFailure: boolean } & Pick<KindHost, 'redact'>,
): Promise<string | undefined> {
  const { question, stderr } = outcome;
  // Most commands succeed and end with a complete line.
  if (!isFailure && !isOpen(stderr) && !isOpen(outcome.stdout) && outcome.unseenPrompt === undefined) return undefined;
  const { describeQuestion, describeUnseen, findQuestion, readEnds } =
    await import('../../platform/process/find-question.ts');
  if (question !== undefined) return describeQuestion(question);
  // A killed command did not wait for an answer: its last line is incomplete.
  if (outcome.signal !== null || outcome.exceeded !== undefined) return undefined;
  const ends = readEnds(outcome);
  // Redacted first: a question may contain a part of a secret, which would not be found later.
  const found = findQuestion({ stdout: redact(ends.stdout), stderr: redact(ends.stderr) }, isFailure);
  if (found !== undefined) return describeQuestion(found);
  return outcome.unseenPrompt === undefined ? undefined : describeUnseen(redact(outcome.unseenPrompt));
}

/** True when an output may end with a question. */
function isOpen(output: CapturedOutput): boolean {
  const last = (output.type === 'whole' ? output.bytes : output.tail).at(-1);
  return last !== undefined && ' ?:>])'.includes(String.fromCharCode(last));
}

/** Returns the last output of a command that was stopped at a question, which it may have repeated many times. */
function describeAsking({ stdout, stderr }: ProcessExit, redact: KindHost['redact']): string {
  return [describeOutput(stdout), describeOutput(stderr)]
    .map(redact)
    .map((text) => (text.length > MOST_ASKING ? `…${text.slice(-MOST_ASKING)}` : text))
    .filter((text) => text !== '')
    .join('\n');
}

/**
 * Returns the output of a command. Warnings, and the whole answer of some commands, are on stderr: they come last, long ones cut
 * at their start.
 */
function textResult({ stdout, stderr }: ProcessExit, isWhole: boolean): ToolResult {
  const text = describeOutput(stdout);
  // A question, or an exit code with a meaning, is sufficient.
  const errors = isWhole ? describeOutput(stderr).trimEnd() : '';
  if (errors === '') return ToolResult.text(text === '' ? '(no output)' : text);
  const shown = errors.length > MOST_REMARKS ? `…${errors.slice(-MOST_REMARKS)}` : errors;
  return ToolResult.text(text === '' ? shown : `${text.replace(/\n$/, '')}\n[stderr]\n${shown}`);
}

/** Returns binary output as base64 with a remark. */
function binaryResult(outcome: ProcessExit): ToolResult | undefined {
  if (outcome.stdout.type !== 'whole') return undefined;
  const decoded = decodeOutput(outcome.stdout.bytes);
  if (decoded.type === 'text') return undefined;
  return ToolResult.content([
    { type: 'text', text: describeOutput(outcome.stdout) },
    {
      type: 'resource',
      resource: { uri: 'pegboard://output', mimeType: 'application/octet-stream', blob: decoded.base64 },
    },
  ]);
}

/** Returns the data of a tool that had nothing to run. */
export function emptyData(output: OutputStyle | undefined): object | undefined {
  if (output === undefined || output.type === 'json') return undefined;
  return output.type === 'lines' ? { lines: [] } : { rows: [] };
}

/** The programs that calls of an entry start. */
interface Startable {
  readonly running: RunSettings;
  readonly host: KindHost;
  /** Returns the first command of a call. Later ones may need its results. */
  readonly first: (
    args: Readonly<Record<string, unknown>>,
  ) => ReadyCommand | undefined | Promise<ReadyCommand | undefined>;
}

/** Creates the check of a tool that starts commands: a missing folder or program, and repositories that git must not use. */
export function refuseCommand({ first, running, host }: Startable): SureRefusal {
  return async (args, signal) => {
    try {
      const command = await first(args);
      // Another machine or a container has its own programs.
      if (command === undefined || host.prefix.length > 0) return undefined;
      const missing = findMissing(command);
      const result = missing && (await commandResult(missing, running, host));
      if (result?.failed() === true) return result.error;
      if (command.git !== undefined) await checkGit(command, command.git, { host, signal });
      return undefined;
    } catch (error) {
      // The call itself reports other errors.
      return error instanceof ToolError ? error : undefined;
    }
  };
}

/** Returns the reason why a command cannot start; `undefined` if only a try can tell. */
function findMissing({ argv, cwd, env }: ReadyCommand): ReturnType<typeof explainSpawnError> | undefined {
  const [file = ''] = argv;
  const folders = env['PATH']?.split(delimiter);
  if (!file.includes('/') && folders === undefined) return undefined;
  const places = file.includes('/')
    ? [resolve(cwd ?? '.', file)]
    : (folders ?? []).map((folder) => resolve(cwd ?? '.', folder, file));
  const isThere = (cwd === undefined || exists(cwd)) && places.some(exists);
  return isThere ? undefined : explainSpawnError({ type: 'error', code: 'ENOENT', message: '' }, { file, cwd });
}

/** True when something exists. An unreadable folder does not reveal it. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
