import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { WaitingQuestion } from '../../tool/calls/approval.ts';
import { clientOf, sharerOf } from '../../tool/calls/call-owner.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { askTogether } from '../../guard/approval/ask-together.ts';
import { isFromRetry } from '../../guard/approval/refusals.ts';
import { toToolError } from '../../pipeline/to-tool-error.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import { checkProgram } from '../check/check-program.ts';
import type { CodeLimits } from '../code-limits.ts';
import { programsUnderWay } from '../programs-under-way.ts';
import { CODE_TOOL, type CodeTarget } from '../code-target.ts';
import { createLearner } from '../types/learned-shapes.ts';
import { reportAbove } from './questions-above.ts';
import { findProgram, ProgramLog } from './program-log.ts';
import type { ProgramOutcome } from './program-outcome.ts';
import { programOwner, type ProgramRecord } from './program-record.ts';
import { openProgramTools } from './program-tools.ts';
import { runProgram } from './run-program.ts';

interface SentProgram {
  readonly code: string;
  /** JSON. */
  readonly input: string;
  readonly limits: CodeLimits;
  /** The caller's id for the program: sending the same id again resumes it. Default: a new one. */
  readonly id?: string | undefined;
  /** True to store it before it starts. Default: stored at its first call that must not be repeated, or when it waits. */
  readonly isKept?: boolean | undefined;
  /** The tools it may call. Default: all that its caller may call. */
  readonly tools?: readonly string[] | undefined;
}

/** The board and the caller that a program runs for. */
interface ProgramPlace {
  readonly target: CodeTarget;
  readonly context: ToolContext;
  /** True to pause the program while calls wait for approval. Otherwise people are asked about all of them at once. */
  readonly pauses: boolean;
}

const MAX_SEED = 2 ** 48 - 1;

/** Checks a program and runs it for the caller of a context; resumes a program with a known id. Never rejects. */
export async function startProgram(sent: SentProgram, place: ProgramPlace): Promise<ProgramOutcome> {
  const { target, context } = place;
  const id = sent.id ?? `program_${randomBytes(12).toString('base64url')}`;
  try {
    const { sealed } = target;
    const known = sent.id === undefined || sealed === undefined ? undefined : await findProgram(sealed, id, context);
    if (known !== undefined && sealed !== undefined) return await resume(id, sealed, place);
    const checked = await checkProgram(sent.code, openProgramTools(target, context, sent.tools), sharerOf(context));
    if (!checked.ok) return fail(checked.error, id);
    const record: ProgramRecord = {
      id,
      code: checked.code,
      source: sent.code,
      input: sent.input,
      limits: sent.limits,
      seed: randomInt(1, MAX_SEED),
      startedAt: Date.now(),
      owner: programOwner(context),
      ...(sent.tools === undefined ? {} : { tools: sent.tools }),
    };
    const log = sealed === undefined ? undefined : new ProgramLog(sealed, record);
    // A program with an id must be stored before it does anything.
    if (sent.isKept === true) await log?.flush();
    return await run(record, { ...place, log });
  } catch (thrown) {
    return fail(toToolError(thrown, CODE_TOOL), id);
  }
}

/** Resumes a program of this caller. Never rejects; `not_found` if there is none. */
export async function resumeProgram(id: string, place: ProgramPlace): Promise<ProgramOutcome> {
  try {
    const { sealed } = place.target;
    const known = sealed === undefined ? undefined : await findProgram(sealed, id, place.context);
    return known === undefined || sealed === undefined ? fail(unknownProgram(id), id) : await resume(id, sealed, place);
  } catch (thrown) {
    return fail(toToolError(thrown, CODE_TOOL), id);
  }
}

/** Returns the id of the program that a call with this key started: repeating the call resumes it. */
export function programIdFor(key: string, context: ToolContext): string {
  const { user, bounds } = programOwner(context);
  return `program_${createHash('sha256')
    .update(JSON.stringify([user, bounds, key]))
    .digest('base64url')
    .slice(0, 22)}`;
}

async function resume(id: string, sealed: SealedStore, place: ProgramPlace): Promise<ProgramOutcome> {
  const log = await ProgramLog.reopen(sealed, id);
  return log instanceof ProgramLog ? run(log.program, { ...place, log }) : log;
}

function run(program: ProgramRecord, place: LoggedPlace): Promise<ProgramOutcome> {
  return programsUnderWay(place.target.registry.executor).track(runWithQuestions(program, place));
}

type LoggedPlace = ProgramPlace & { readonly log: ProgramLog | undefined };

async function runWithQuestions(
  program: ProgramRecord,
  { target, context, pauses, ...given }: LoggedPlace,
): Promise<ProgramOutcome> {
  const unaskable = new Set<number>();
  const learn = createLearner(() => target.store, clientOf(context).user);
  let { log } = given;
  const { closing } = programsUnderWay(target.registry.executor);
  const signal = AbortSignal.any([context.signal, closing]);
  for (;;) {
    const questions = new Map<number, WaitingQuestion[]>();
    const outcome = await runProgram(log?.program ?? program, {
      pipeline: target.registry.executor,
      tools: openProgramTools(target, context, program.tools),
      outputs: target.outputs,
      context,
      signal,
      closing,
      learn,
      log,
      onWait: (number, question) => void questions.set(number, [...(questions.get(number) ?? []), question]),
      unaskable,
    });
    if (outcome.ok || outcome.waiting === undefined || target.sealed === undefined) return outcome;
    // If this program is a call of another one, that one asks the questions with its own.
    if (pauses) reportAbove(context.approval, [...questions.values()].flat());
    // Questions that nobody here can answer wait for people elsewhere.
    if (pauses || questions.size === 0) return outcome;
    // The program waits in the store; this call waits for the people.
    const asked = await context.untimed(askAbout(questions, signal));
    if (asked instanceof Error) return { ...outcome, error: withCause(outcome.error, asked) };
    for (const number of asked) unaskable.add(number);
    const next = await ProgramLog.reopen(target.sealed, program.id);
    if (!(next instanceof ProgramLog)) return next;
    log = next;
  }
}

/** Asks about all waiting calls. Returns those about which nobody can be asked, or the error that asks the client first. */
async function askAbout(
  questions: ReadonlyMap<number, readonly WaitingQuestion[]>,
  signal: AbortSignal,
): Promise<readonly number[] | Error> {
  // Always in the same order: the client's answer is matched by the question.
  const inOrder = [...questions]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([number, own]) => own.map((question) => [number, question] as const));
  const numbers = inOrder.map(([number]) => number);
  try {
    const stands = await askTogether(
      inOrder.map(([, question]) => question),
      signal,
    );
    return numbers.filter((_, place) => stands[place] === 'unavailable');
  } catch (error) {
    if (error instanceof Error && isFromRetry(error)) return error;
    // Asking failed: each call reports that.
    return numbers;
  }
}

function withCause({ code, message, reason, approvalId }: ToolError, cause: Error): ToolError {
  return new ToolError({ code, message, reason, approvalId, cause });
}

function fail(error: ToolError, id: string): ProgramOutcome {
  return { ok: false, error, logs: [], calls: [], id };
}

function unknownProgram(id: string): ToolError {
  const message = `There is no program "${id}" of yours to resume. Ended programs are kept for a day, others for 30 days; run the code again if repeating its calls does no harm.`;
  return new ToolError({ code: 'not_found', message, field: 'resume' });
}
