import { sharerOf } from '../../tool/calls/call-owner.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { isProgramTool } from '../../tool/tool-marks.ts';
import { mayRepeat } from '../../tool/tool-metadata.ts';
import type { WaitingQuestion } from '../../tool/calls/approval.ts';
import type { Tool } from '../../tool/tool.ts';
import { isFromRetry } from '../../guard/approval/refusals.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { holdsTooMuch, limitError, tooMuchReturned } from '../code-limits.ts';
import type { SandboxAnswer, SandboxCall, SandboxEnd, SandboxTurn } from '../sandbox/sandbox-messages.ts';
import { engineBuild, Sandbox } from '../sandbox/sandbox.ts';
import { answerCall, type ProgramHost } from './answer-call.ts';
import { cancelled, crashError, lostError, place, unknownOutcome, waitingError } from './program-errors.ts';
import { listenBelow } from './questions-above.ts';
import type { ProgramLog } from './program-log.ts';
import { type HeldCall, parseError, type Program } from './program-record.ts';
import type { ProgramCall, ProgramOutcome } from './program-outcome.ts';
import { takeTurn } from './take-turn.ts';

/** The parts that a program runs with. */
export interface RunHost extends Omit<ProgramHost, 'maxAnswer' | 'optionsFor'> {
  /** Stores the program. Default: not stored; a program is lost when its process is killed. */
  readonly log?: ProgramLog | undefined;
  /** Aborts when the board is closed, together with `signal`: a stored program stays and can be resumed. */
  readonly closing?: AbortSignal | undefined;
  /** Called with the questions that its calls wait for. */
  readonly onWait?: ((number: number, question: WaitingQuestion) => void) | undefined;
  /** Calls about which nobody can be asked: the policy decides about them. */
  readonly unaskable?: ReadonlySet<number> | undefined;
}

/**
 * Runs a program to its end, or until everything left waits for people. Never rejects.
 *
 * A program with a log pauses while calls wait for approval. Without a log each call asks and waits by itself.
 */
export async function runProgram(program: Program, host: RunHost): Promise<ProgramOutcome> {
  const run = new ProgramRun(program, host);
  const outcome = await run.finish();
  const isStopped = !outcome.ok && (outcome.waiting !== undefined || host.closing?.aborted === true);
  const isOpen = run.isInterrupted || isStopped;
  try {
    if (!isOpen) await host.log?.end(outcome);
  } catch {
    // The outcome stands; a later request ends the program again, from its log.
  } finally {
    await host.log?.close();
  }
  return outcome;
}

class ProgramRun {
  readonly #program: Program;
  readonly #host: ProgramHost;
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal;
  readonly #logs: string[] = [];
  readonly #calls: ProgramCall[] = [];
  readonly #errors = new Map<number, ToolError>();
  readonly #queue: SandboxCall[] = [];
  readonly #running = new Map<number, Promise<void>>();
  #arrived: SandboxAnswer[] = [];
  #wake: (() => void) | undefined;
  #now: number;
  #sandbox: Sandbox | undefined;
  #isOutOfTime = false;
  readonly #log: ProgramLog | undefined;
  readonly #pauses: boolean;
  readonly #onWait: RunHost['onWait'];
  readonly #unaskable: ReadonlySet<number>;
  /** The reason why the request ends before the program: its client must first send an answer that a call needs. */
  #interruption: ToolError | undefined;
  /** Calls that wait for approval, by number. */
  readonly #held = new Map<number, HeldCall>();
  readonly #trail = new Map<number, ProgramCall>();

  constructor(program: Program, { log, onWait, unaskable = new Set(), ...given }: RunHost) {
    this.#program = program;
    this.#outer = given.signal;
    this.#now = program.startedAt;
    this.#log = log;
    this.#pauses = log !== undefined;
    this.#onWait = onWait;
    this.#unaskable = unaskable;
    const optionsFor = (call: SandboxCall, tool: Tool): CallOptions => this.#optionsFor(call, tool);
    this.#host = { ...given, signal: this.#stop.signal, maxAnswer: program.limits.memory, optionsFor };
    if (log === undefined) return;
    log.onStop((why) => this.#halt(why === 'lost' ? lostError(program.id) : cancelled()));
  }

  /** True when the program continues after its client has sent an answer that a call needs. */
  get isInterrupted(): boolean {
    return this.#interruption !== undefined && !this.#outer.aborted && !this.#isOutOfTime;
  }

  async finish(): Promise<ProgramOutcome> {
    const { time } = this.#program.limits;
    const timer = setTimeout(() => {
      this.#isOutOfTime = true;
      this.#halt(limitError('time', this.#program.limits));
    }, time);
    const cancel = (): void => this.#halt(this.#outer.reason);
    this.#outer.addEventListener('abort', cancel, { once: true });
    try {
      if (this.#outer.aborted) cancel();
      const end = await this.#run();
      return this.#toOutcome(end);
    } catch (thrown) {
      return this.#fail(thrown instanceof ToolError ? thrown : crashError(thrown));
    } finally {
      clearTimeout(timer);
      this.#outer.removeEventListener('abort', cancel);
      this.#sandbox?.close();
      // The program has ended, so its remaining calls are cancelled.
      this.#stop.abort(cancelled());
      await Promise.all(this.#running.values());
    }
  }

  async #run(): Promise<SandboxEnd> {
    this.#stop.signal.throwIfAborted();
    const { sandbox, turn } = await this.#start();
    let next = this.#take(turn);
    while (next.end === undefined) {
      await this.#someAnswer();
      this.#stop.signal.throwIfAborted();
      const answers = this.#arrived;
      if (answers.length === 0 && this.#interruption !== undefined) {
        await this.#log?.flush();
        throw this.#interruption;
      }
      if (answers.length === 0) return this.#pause(sandbox);
      this.#arrived = [];
      for (const answer of answers) this.#log?.answered(answer, this.#trail.get(answer.number));
      next = this.#take(await sandbox.answer(answers));
    }
    this.#stop.signal.throwIfAborted();
    if (next.end.type === 'returned' || next.end.type === 'threw') await this.#settleRest(next.end.type === 'returned');
    return next.end;
  }

  /** Starts the program, or restores its state from its snapshot or from all earlier answers. */
  async #start(): Promise<{ readonly sandbox: Sandbox; readonly turn: SandboxTurn }> {
    const { code, input, seed, startedAt, limits } = this.#program;
    const log = this.#log;
    const kept = log?.program.snapshot;
    const snapshot = kept === undefined ? undefined : await log?.snapshot(await engineBuild());
    const before = log?.answers ?? [];
    for (const { answer, call } of before) {
      this.#now = Math.max(this.#now, answer.at);
      if (call !== undefined) this.#calls.push(call);
      // Written by the engine from this package's data.
      if (!answer.ok) this.#errors.set(answer.number, parseError(JSON.parse(answer.value)));
    }
    // A snapshot already contains the answers up to its own.
    const had = snapshot === undefined ? 0 : (kept?.answered ?? 0);
    const answers = before.slice(had).map(({ answer }) => answer);
    const now = snapshot === undefined ? startedAt : (kept?.now ?? startedAt);
    const start = { type: 'start', code, input, seed, limits, now, answers, snapshot } as const;
    const started = await Sandbox.start(start, { signal: this.#stop.signal, caller: sharerOf(this.#host.context) });
    const { sandbox, turn } = started;
    this.#sandbox = sandbox;
    if (this.#stop.signal.aborted) sandbox.close();
    if (snapshot !== undefined) this.#logs.push(...(kept?.logs ?? []));
    const held = snapshot === undefined ? [] : (log?.program.held ?? []).map(({ call }) => call);
    const answered = new Set(before.map(({ answer }) => answer.number));
    return {
      sandbox,
      turn: { ...turn, calls: [...held, ...turn.calls].filter(({ number }) => !answered.has(number)) },
    };
  }

  /** Stores the program with its waiting calls. */
  async #pause(sandbox: Sandbox): Promise<SandboxEnd> {
    const held = this.#inOrder();
    const snapshot = await sandbox.snapshot();
    await this.#log?.pause(held, { snapshot, now: this.#now, logs: this.#logs, engine: await engineBuild() });
    return { type: 'stuck' };
  }

  #optionsFor({ number }: SandboxCall, tool: Tool): CallOptions {
    const log = this.#log;
    if (log === undefined) return {};
    const key = `${this.#program.id}/${number}`;
    // A program that had started is resumed.
    const isContinued = isProgramTool(tool);
    const onWait = (question: WaitingQuestion): void => this.#onWait?.(number, question);
    return {
      idempotencyKey: key,
      ...(mayRepeat(tool) && !isContinued ? {} : { beforeRun: () => log.begin(number) }),
      // The call is recorded below the program, under a name by which its questions are found again.
      ...(this.#unaskable.has(number)
        ? {}
        : {
            approval: listenBelow(
              {
                key,
                defer: true,
                continues: isContinued && log.begun.has(number),
                expires: this.#host.context.approval?.expires,
              },
              onWait,
            ),
            onWait,
          }),
    };
  }

  #isResumable({ kind, name }: SandboxCall): boolean {
    const tool = kind === 'tool' ? this.#host.tools.look(name) : undefined;
    return tool !== undefined && isProgramTool(tool);
  }

  #take(turn: SandboxTurn): SandboxTurn {
    this.#logs.push(...turn.logs);
    if (turn.end === undefined || turn.end.type === 'returned') {
      this.#queue.push(...turn.calls);
      this.#startCalls();
    }
    return turn;
  }

  #startCalls(): void {
    while (this.#running.size < this.#program.limits.parallel && !this.#stop.signal.aborted) {
      const call = this.#queue.shift();
      if (call === undefined) return;
      this.#running.set(call.number, this.#answer(call));
    }
  }

  async #answer(call: SandboxCall): Promise<void> {
    const { number } = call;
    await takeTurn();
    const began = performance.now();
    const isUnknown = this.#log?.begun.has(number) === true && !this.#isResumable(call);
    // Awaited in either case, so that the call counts as running before it has its answer.
    const { ok, value, error, tool } = await (isUnknown ? unknownOutcome(call) : answerCall(call, this.#host));
    const approvalId = this.#pauses && error?.code === 'approval_required' ? error.approvalId : undefined;
    if (approvalId !== undefined && tool !== undefined && error?.reason === 'waits for an answer') {
      this.#held.set(number, { approvalId, tool, args: JSON.parse(call.args) as unknown, call });
      this.#running.delete(number);
      this.#startCalls();
      this.#wake?.();
      return;
    }
    if (error !== undefined && this.#log !== undefined && isFromRetry(error)) {
      // The call is repeated from its start when the client has sent the answer.
      this.#log.retract(number);
      this.#interruption ??= error;
      this.#running.delete(number);
      this.#startCalls();
      this.#wake?.();
      return;
    }
    if (error !== undefined) this.#errors.set(number, error);
    if (tool !== undefined) {
      const durationMs = Math.round(performance.now() - began);
      const made = { number, tool, outcome: error?.code ?? 'ok', durationMs };
      this.#calls.push(made);
      this.#trail.set(number, made);
    }
    // A program's clock never goes back, and stands still while it computes.
    this.#now = Math.max(this.#now, Date.now());
    this.#arrived.push({ number, at: this.#now, ok, value });
    this.#running.delete(number);
    this.#startCalls();
    this.#wake?.();
  }

  /** Waits for an answer, or until everything left waits for people. */
  async #someAnswer(): Promise<void> {
    const isIdle = (): boolean =>
      this.#running.size === 0 && this.#queue.length === 0 && (this.#held.size > 0 || this.#interruption !== undefined);
    while (this.#arrived.length === 0 && !this.#stop.signal.aborted && !isIdle()) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      await woken.promise;
      this.#wake = undefined;
    }
  }

  /** Waits for calls that the program itself did not wait for. */
  async #settleRest(startsQueued: boolean): Promise<void> {
    if (!startsQueued) this.#queue.length = 0;
    while (this.#running.size > 0 || this.#queue.length > 0) {
      this.#stop.signal.throwIfAborted();
      await Promise.race(this.#running.values());
    }
    for (const { number, ok } of this.#arrived) {
      const error = ok ? undefined : this.#errors.get(number);
      if (error !== undefined) this.#logs.push(`A call that was not awaited failed: ${error.message}`);
    }
  }

  #halt(reason: unknown): void {
    this.#stop.abort(reason);
    this.#sandbox?.close();
    this.#wake?.();
  }

  #toOutcome(end: SandboxEnd): ProgramOutcome {
    const { limits } = this.#program;
    switch (end.type) {
      case 'returned':
        if (end.value !== undefined && holdsTooMuch(end.value)) return this.#fail(tooMuchReturned());
        return {
          ok: true,
          // Written by the engine.
          value: end.value === undefined ? undefined : (JSON.parse(end.value) as unknown),
          ...this.#trace(),
        };
      case 'limit':
        return this.#fail(this.#isOutOfTime ? limitError('time', limits) : limitError(end.limit, limits));
      case 'threw':
        return this.#fail(this.#explain(end));
      case 'unreadable':
        return this.#fail(
          new ToolError({
            code: 'invalid_arguments',
            field: 'code',
            message: `The program was not run. ${place(end.line)}Syntax error: ${end.message}.`,
          }),
        );
      case 'stuck':
        if (this.#held.size > 0) return this.#toWaiting();
        return this.#fail(
          new ToolError({
            code: 'execution_failed',
            message:
              'The program waits for a promise that nothing settles. Await only calls of tools, sleep and promises that your code resolves.',
          }),
        );
      case 'diverged':
        return this.#fail(
          new ToolError({
            code: 'outcome_unknown',
            message:
              'The program ran differently than before its interruption, and was stopped. Check what its calls did before you run it again.',
          }),
        );
    }
  }

  /** Returns the waiting calls in program order: their questions arrived in any order. */
  #inOrder(): HeldCall[] {
    return [...this.#held.values()].toSorted((one, other) => one.call.number - other.call.number);
  }

  #toWaiting(): ProgramOutcome {
    const waiting = this.#inOrder().map(({ approvalId, tool, args }) => ({ approvalId, tool, args }));
    return { ok: false, error: waitingError(waiting, this.#program.id), waiting, ...this.#trace() };
  }

  /** Converts an uncaught error: the error of a call keeps its code. */
  #explain({ name, message, line, call }: SandboxEnd & { readonly type: 'threw' }): ToolError {
    const failed = call === undefined ? undefined : this.#errors.get(call);
    if (failed === undefined)
      return new ToolError({ code: 'execution_failed', message: `${place(line)}${name}: ${message}` });
    const { code, toolName, field, reason, issues, recoverable } = failed;
    return new ToolError({
      code,
      toolName,
      field,
      reason,
      issues,
      recoverable,
      message: `${place(line)}${failed.message}`,
    });
  }

  #fail(error: ToolError): ProgramOutcome {
    return { ok: false, error, ...this.#trace() };
  }

  #trace(): { readonly logs: readonly string[]; readonly calls: readonly ProgramCall[]; readonly id: string } {
    return { logs: this.#logs, calls: this.#calls, id: this.#program.id };
  }
}
