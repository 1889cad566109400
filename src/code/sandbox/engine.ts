import { type JSValueHandle, QuickJS } from 'quickjs-wasi';
import type { KernelMemory } from '../../platform/wasm/open-kernel.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { PRELUDE } from './prelude.ts';
import type {
  SandboxAnswer,
  SandboxCall,
  SandboxCallKind,
  SandboxEnd,
  SandboxSnapshot,
  SandboxStart,
  SandboxTurn,
} from './sandbox-messages.ts';

const KINDS: ReadonlySet<string> = new Set<SandboxCallKind>(['tool', 'search', 'describe', 'read', 'sleep']);
const FILE = 'program.ts';
/** Lines before the program's first line. */
const LINES_BEFORE = 1;
/** Leaves room for the engine's own frames on the thread's stack. */
const STACK_BYTES = 256 * 1024;

/** One program in one engine. It can reach nothing of the thread except the functions of the prelude. */
export class Engine {
  readonly #limits: SandboxStart['limits'];
  readonly #onEarlyEnd: (turn: SandboxTurn) => void;
  #vm: QuickJS | undefined;
  /** The program's clock in microseconds; while the engine is created, the seed of its random numbers. */
  #clock: bigint;
  #computeLeft: number;
  #deadline = Infinity;
  #calls: SandboxCall[] = [];
  #logs: string[] = [];
  #logsLeft: number;
  #count = 0;
  /** Characters of arguments that wait for an answer, by call number. */
  readonly #waiting = new Map<number, number>();
  #waitingSize = 0;
  #end: SandboxEnd | undefined;
  #isInterrupted = false;

  /** `onEarlyEnd` receives an end while the engine still computes: it checks for interrupts only now and then. */
  constructor({ limits, seed }: Pick<SandboxStart, 'limits' | 'seed'>, onEarlyEnd: (turn: SandboxTurn) => void) {
    this.#onEarlyEnd = onEarlyEnd;
    this.#limits = limits;
    this.#computeLeft = limits.compute;
    this.#logsLeft = limits.logs;
    this.#clock = BigInt(seed);
  }

  /** Creates the engine and runs the program up to its first wait. */
  async start(wasm: object, start: SandboxStart): Promise<SandboxTurn> {
    const options = {
      wasm,
      memoryLimit: start.limits.memory,
      maxStackSize: STACK_BYTES,
      timezoneOffset: 0,
      interruptHandler: () => this.#interrupts(),
      wasi: (memory: KernelMemory) => ({
        clock_time_get: (_id: number, _precision: bigint, result: number) => {
          new DataView(memory.buffer).setBigUint64(result, this.#clock * 1_000n, true);
          return 0;
        },
      }),
    };
    const makeSend =
      (vm: QuickJS) =>
      (...values: JSValueHandle[]): JSValueHandle => {
        this.#receive(values.map(readText));
        return vm.undefined;
      };
    if (start.snapshot === undefined) {
      const vm = (this.#vm = await QuickJS.create(options));
      this.#clock = BigInt(start.now) * 1_000n;
      this.#compute(() => {
        vm.newFunction('__send', makeSend(vm)).consume((handle) => vm.setProp(vm.global, '__send', handle));
        vm.evalCode(PRELUDE, 'prelude').dispose();
        this.#begin(vm, start);
      });
    } else {
      const { memory, count, waiting, logsLeft, computeLeft } = start.snapshot;
      const vm = (this.#vm = await QuickJS.restore(QuickJS.deserializeSnapshot(memory), options));
      this.#count = count;
      this.#logsLeft = logsLeft;
      this.#computeLeft = computeLeft;
      for (const [number, size] of waiting) {
        this.#waiting.set(number, size);
        this.#waitingSize += size;
      }
      this.#clock = BigInt(start.now) * 1_000n;
      vm.registerHostCallback('__send', makeSend(vm));
    }
    return this.answer(start.answers);
  }

  /** Gives answers to the program, one after the other, and runs it as far as possible. */
  answer(answers: readonly SandboxAnswer[]): SandboxTurn {
    this.#compute((vm) => {
      for (const answer of answers) {
        if (this.#end !== undefined) return;
        this.#clock = BigInt(answer.at) * 1_000n;
        this.#settle(vm, answer);
        this.#drain(vm);
      }
    });
    if (this.#end === undefined && this.#waiting.size === 0) this.#end = { type: 'stuck' };
    const turn = { type: 'turn', calls: this.#calls, logs: this.#logs, end: this.#end, isEarly: false } as const;
    this.#calls = [];
    this.#logs = [];
    return turn;
  }

  /** Returns the whole state of the program, for another engine of the same build. */
  snapshot(): SandboxSnapshot {
    if (this.#vm === undefined) throw new Error('There is no program to take a snapshot of.');
    return {
      memory: QuickJS.serializeSnapshot(this.#vm.snapshot()),
      count: this.#count,
      waiting: [...this.#waiting],
      logsLeft: this.#logsLeft,
      computeLeft: this.#computeLeft,
    };
  }

  #begin(vm: QuickJS, { code, input }: SandboxStart): void {
    let program: JSValueHandle;
    try {
      program = vm.evalCode(`(async function () { "use strict";\n${code}\n})`, FILE);
    } catch (error) {
      if (this.#isInterrupted) throw error;
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      this.#finish({ type: 'unreadable', message, line: lineIn(stack ?? '') });
      return;
    }
    vm.global
      .getProp('__run')
      .consume((run) =>
        vm.newString(input).consume((text) => vm.callFunction(run, vm.undefined, program, text).dispose()),
      );
    program.dispose();
    this.#drain(vm);
  }

  #settle(vm: QuickJS, { number, ok, value }: SandboxAnswer): void {
    const isKnown = vm.global
      .getProp('__settle')
      .consume((settle) =>
        vm
          .newString(value)
          .consume((text) =>
            vm
              .callFunction(settle, vm.undefined, vm.newNumber(number), ok ? vm.true : vm.false, text)
              .consume((handle) => handle.toBoolean()),
          ),
      );
    if (!isKnown) this.#finish({ type: 'diverged' });
    this.#waitingSize -= this.#waiting.get(number) ?? 0;
    this.#waiting.delete(number);
  }

  /** Runs pending microtasks. An error in one of the program's microtasks ends only that microtask. */
  #drain(vm: QuickJS): void {
    for (;;) {
      try {
        vm.executePendingJobs();
        return;
      } catch (error) {
        if (this.#end !== undefined || this.#isInterrupted || isOutOfMemory(error)) throw error;
        this.#log(`Uncaught: ${messageOf(error)}`);
      }
    }
  }

  /** Runs the engine within its remaining time. Every failure becomes an end. */
  #compute(work: (vm: QuickJS) => void): void {
    const vm = this.#vm;
    if (vm === undefined || this.#end !== undefined) return;
    const began = performance.now();
    this.#deadline = began + this.#computeLeft;
    try {
      work(vm);
    } catch (error) {
      if (this.#isInterrupted) this.#finish({ type: 'limit', limit: 'compute' });
      else if (isOutOfMemory(error)) this.#finish({ type: 'limit', limit: 'memory' });
      else
        this.#finish({
          type: 'threw',
          name: 'InternalError',
          message: messageOf(error),
          line: undefined,
          call: undefined,
        });
    } finally {
      this.#computeLeft -= performance.now() - began;
      this.#deadline = Infinity;
    }
  }

  #interrupts(): boolean {
    if (this.#end === undefined && performance.now() <= this.#deadline) return false;
    return (this.#isInterrupted = true);
  }

  /** Receives a message of the prelude. The first end counts. */
  #receive([kind = '', name = '', text = '']: readonly string[]): void {
    if (this.#end !== undefined) return;
    if (kind === 'log') this.#log(text);
    else if (kind === 'returned') {
      if (text.length > this.#limits.output) this.#finish({ type: 'limit', limit: 'output' });
      else this.#finish({ type: 'returned', value: name === 'json' ? text : undefined });
    } else if (kind === 'threw') this.#finish(readFault(text));
    else if (isKind(kind)) this.#call(kind, name, text);
  }

  #call(kind: SandboxCallKind, name: string, args: string): void {
    const number = ++this.#count;
    this.#waitingSize += args.length;
    if (number > this.#limits.calls) this.#stop('calls');
    // Waiting arguments are outside the engine's memory but count toward it.
    else if (this.#waitingSize > this.#limits.memory) this.#stop('memory');
    else {
      this.#waiting.set(number, args.length);
      this.#calls.push({ number, kind, name, args });
    }
  }

  #log(line: string): void {
    if (this.#logsLeft <= 0) return;
    this.#logsLeft -= line.length + 1;
    this.#logs.push(
      this.#logsLeft > 0 ? line : `${line.slice(0, line.length + this.#logsLeft)} [further output omitted]`,
    );
  }

  #stop(limit: 'calls' | 'memory'): void {
    const end = { type: 'limit', limit } as const;
    this.#finish(end);
    this.#onEarlyEnd({ type: 'turn', calls: [], logs: this.#logs, end, isEarly: true });
  }

  #finish(end: SandboxEnd): void {
    this.#end ??= end;
  }
}

function isKind(kind: string): kind is SandboxCallKind {
  return KINDS.has(kind);
}

/** Accepts only strings: converting another value would run code of the program. */
function readText(handle: JSValueHandle): string {
  return handle.isString ? handle.toString() : '';
}

function isOutOfMemory(error: unknown): boolean {
  return /out of memory|string too long/i.test(typeof error === 'string' ? error : messageOf(error));
}

/** Parses the prelude's report of an uncaught error. */
function readFault(text: string): SandboxEnd {
  // Written by the prelude.
  const fault = JSON.parse(text) as { name: string; message: string; stack: string; call?: number };
  if (fault.name === 'InternalError' && isOutOfMemory(fault.message)) return { type: 'limit', limit: 'memory' };
  return { type: 'threw', name: fault.name, message: fault.message, line: lineIn(fault.stack), call: fault.call };
}

/** Returns the program line in which an error arose. */
function lineIn(stack: string): number | undefined {
  const line = Number(/program\.ts:(\d+)/.exec(stack)?.[1]);
  return Number.isNaN(line) ? undefined : Math.max(1, line - LINES_BEFORE);
}
