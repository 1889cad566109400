import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { type CodeLimits, limitError } from '../code-limits.ts';
import type { SandboxAnswer, SandboxCall, SandboxEnd, SandboxTurn } from '../sandbox/sandbox-messages.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import { answerCall, type ProgramHost } from './answer-call.ts';
import type { ProgramCall, ProgramOutcome } from './program-outcome.ts';

/** A program that was checked, and what decides how it runs. */
export interface Program {
  readonly id: string;
  /** JavaScript. */
  readonly code: string;
  /** The value of `input`, as JSON. */
  readonly input: string;
  readonly seed: number;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly limits: CodeLimits;
}

/** Runs a program to its end. Never rejects. */
export async function runProgram(program: Program, given: Omit<ProgramHost, 'maxAnswer'>): Promise<ProgramOutcome> {
  const run = new ProgramRun(program, given);
  return run.finish();
}

/** One program under way. */
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

  constructor(program: Program, given: Omit<ProgramHost, 'maxAnswer'>) {
    this.#program = program;
    this.#outer = given.signal;
    this.#now = program.startedAt;
    this.#host = { ...given, signal: this.#stop.signal, maxAnswer: program.limits.memory };
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
      // What still runs belongs to a program that is over.
      this.#stop.abort(cancelled());
      await Promise.all(this.#running.values());
    }
  }

  async #run(): Promise<SandboxEnd> {
    const { code, input, seed, startedAt, limits } = this.#program;
    this.#stop.signal.throwIfAborted();
    const { sandbox, turn } = await Sandbox.start({
      type: 'start',
      code,
      input,
      seed,
      now: startedAt,
      limits,
      answers: [],
    });
    this.#sandbox = sandbox;
    let next = this.#take(turn);
    while (next.end === undefined) {
      await this.#someAnswer();
      this.#stop.signal.throwIfAborted();
      const answers = this.#arrived;
      this.#arrived = [];
      next = this.#take(await sandbox.answer(answers));
    }
    this.#stop.signal.throwIfAborted();
    if (next.end.type === 'returned' || next.end.type === 'threw') await this.#settleRest(next.end.type === 'returned');
    return next.end;
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
    const began = performance.now();
    const { ok, value, error, tool } = await answerCall(call, this.#host);
    if (error !== undefined) this.#errors.set(number, error);
    if (tool !== undefined) {
      const durationMs = Math.round(performance.now() - began);
      this.#calls.push({ number, tool, outcome: error?.code ?? 'ok', durationMs });
    }
    // Time in a program never goes back, and stands still while it computes.
    this.#now = Math.max(this.#now, Date.now());
    this.#arrived.push({ number, at: this.#now, ok, value });
    this.#running.delete(number);
    this.#startCalls();
    this.#wake?.();
  }

  async #someAnswer(): Promise<void> {
    if (this.#arrived.length > 0 || this.#stop.signal.aborted) return;
    const woken = Promise.withResolvers<void>();
    this.#wake = woken.resolve;
    await woken.promise;
    this.#wake = undefined;
  }

  /** A program that did not wait for its calls is over when they are. */
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
        return {
          ok: true,
          // The engine wrote it.
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
              'The program did not run as it had before it was interrupted, and was ended. Look at what its calls did before you run it again.',
          }),
        );
    }
  }

  /** An error that the program did not catch: that of a call keeps its code. */
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

function place(line: number | undefined): string {
  return line === undefined ? '' : `Line ${line}: `;
}

function cancelled(): ToolError {
  return new ToolError({ code: 'cancelled', message: 'The program was cancelled.' });
}

function crashError(thrown: unknown): ToolError {
  return new ToolError({
    code: 'execution_failed',
    message: `The program could not be run: ${messageOf(thrown)}`,
    cause: thrown,
  });
}
