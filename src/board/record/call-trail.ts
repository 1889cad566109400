import { randomBytes } from 'node:crypto';
import { clientOf, describeCaller } from '../../tool/call-owner.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { BegunCall, CallStage, CallTrail } from '../../pipeline/call-recorder.ts';
import { thisProcess } from '../../platform/process/process-mark.ts';
import type { JournalLine } from '../../platform/store/board-store.ts';
import type { RecordLevel } from './record-settings.ts';

/** What a trail needs of its journal. */
export interface TrailHost {
  /** Hears that a call is over. */
  wake(): void;
  /** Arguments or a result as a full record has them. */
  show(value: unknown, tool: BegunCall['tool']): ShownValue;
  /** Writes a line to disk. */
  writeNow(line: JournalLine): Promise<void>;
  /** Writes the start of a call to disk. */
  commit(trail: RecordedTrail): Promise<void>;
}

/** A value as a full record has it. */
export interface ShownValue {
  /** As JSON. */
  readonly text: string;
  /** Whether it is the whole value: nothing was cut off or taken out. */
  readonly isWhole: boolean;
}

/** How a call is recorded. */
export interface TrailOptions {
  readonly level: RecordLevel;
  /** Whether the call must be on disk before its tool runs. */
  readonly isStrict: boolean;
}

const STAGES: readonly CallStage[] = ['check', 'hooks', 'guard', 'person', 'queue', 'run', 'shape'];
const CHECK = 0;

let ownId: string | undefined;
let count = 0;

/** Tells the records of this process from those of others. */
export function recordingProcess(): string {
  return (ownId ??= randomBytes(5).toString('hex'));
}

/** What is known of one call. Texts are made when its line is written: most of the work is not on the call's own way. */
export class RecordedTrail implements CallTrail {
  isOver = false;
  readonly beforeRun: (() => Promise<void>) | undefined;
  readonly #number: number;
  readonly #level: RecordLevel;
  readonly #call: BegunCall;
  readonly #host: TrailHost;
  readonly toolName: string;
  readonly #args: ShownValue | undefined;
  /** Stages by their numbers in the order they began, each with its time: numbers alone are kept without further objects. */
  readonly #marks: number[];
  #result: ToolResult | undefined;
  #requests: RecordedRequest[] | undefined;

  constructor(call: BegunCall, { level, isStrict }: TrailOptions, host: TrailHost) {
    this.#number = ++count;
    this.#level = level;
    this.#call = call;
    this.#host = host;
    this.toolName = typeof call.tool === 'string' ? showName(call.tool, host) : call.tool.metadata.name;
    this.#marks = [CHECK, performance.now()];
    // A tool may change what it gets: a full record shows what came.
    this.#args = level === 'full' ? host.show(call.args, call.tool) : undefined;
    this.beforeRun = isStrict ? () => host.commit(this) : undefined;
  }

  get id(): string {
    return `${recordingProcess()}-${this.#number.toString(36)}`;
  }

  enter(stage: CallStage): void {
    this.#marks.push(STAGES.indexOf(stage), performance.now());
  }

  request(to: string): (outcome: string) => void {
    const request = { to, from: performance.now(), time: 0, outcome: 'running' };
    (this.#requests ??= []).push(request);
    return (outcome) => {
      request.time = performance.now() - request.from;
      request.outcome = outcome;
    };
  }

  /** A summary has no values: the question is left out. */
  async note(type: 'waiting' | 'answered', { question, ...facts }: Readonly<Record<string, unknown>>): Promise<void> {
    const asked = this.#level === 'full' && question !== undefined ? { question } : {};
    const body = this.#host.show({ ...facts, ...asked }, this.toolName).text;
    await this.#host.writeNow({ ...this.#common(), type, at: Date.now(), body });
  }

  end(result: ToolResult): void {
    this.#marks.push(CHECK, performance.now());
    this.#result = result;
    this.isOver = true;
    this.#host.wake();
  }

  /** The line of a call that still runs. */
  toStart(): JournalLine {
    return { ...this.#common(), type: 'started', at: this.#startedAt(), body: this.#body({ process: thisProcess() }) };
  }

  toEnd(): JournalLine {
    const result = this.#result;
    const { durationMs = 0, attempts = 0 } = result?.meta ?? {};
    const error = result?.ok === false ? result.error : undefined;
    const shown =
      this.#level === 'full'
        ? { result: result === undefined ? undefined : this.#host.show(result.toJSON(), this.toolName).text }
        : {};
    return {
      ...this.#common(),
      type: 'ended',
      at: Date.now(),
      outcome: error === undefined ? 'ok' : error.code,
      body: this.#body({
        durationMs: round(durationMs),
        attempts,
        stages: this.#stages(),
        ...(this.#requests === undefined
          ? {}
          : { requests: this.#requests.slice(0, MOST_REQUESTS).map((one) => this.#told(one)) }),
        inputChars: sizeOf(this.#call.args),
        outputChars: result?.text.length ?? 0,
        ...shown,
      }),
    };
  }

  /** By the clock on the wall, which is not asked on the call's own way. */
  #startedAt(): number {
    return Math.round(Date.now() - (performance.now() - (this.#marks[1] ?? 0)));
  }

  #told({ to, from, time, outcome }: RecordedRequest): Readonly<Record<string, unknown>> {
    return { to, at: round(from - (this.#marks[1] ?? 0)), ms: round(time), outcome };
  }

  #stages(): Partial<Record<CallStage, number>> {
    const stages: Partial<Record<CallStage, number>> = {};
    for (let at = 0; at + 3 < this.#marks.length; at += 2) {
      // Stages and times take turns.
      const [number = 0, from = 0, , to = 0] = this.#marks.slice(at, at + 4);
      const stage = STAGES[number] ?? 'check';
      stages[stage] = round((stages[stage] ?? 0) + to - from);
    }
    return stages;
  }

  #common(): Pick<JournalLine, 'call' | 'parent' | 'tool' | 'caller'> {
    const { context } = this.#call;
    const { user } = clientOf(context);
    return {
      call: this.id,
      ...(context.recordId === undefined ? {} : { parent: context.recordId }),
      tool: this.toolName,
      caller: user,
    };
  }

  #body(facts: Readonly<Record<string, unknown>>): string {
    const { tool, callId, context } = this.#call;
    const { session, app } = clientOf(context);
    const { source, kind } = typeof tool === 'string' ? {} : tool.metadata;
    return JSON.stringify({
      startedAt: this.#startedAt(),
      by: describeCaller(context),
      ...(app === undefined ? {} : { client: app() }),
      ...(session === '' ? {} : { session }),
      callId: callId.slice(0, MOST_OF_ID),
      source,
      kind,
      level: this.#level,
      ...(this.#args === undefined ? {} : { args: this.#args.text, isArgsWhole: this.#args.isWhole }),
      ...facts,
    });
  }
}

/** Characters that are kept of the name of a tool that is not there, and of an id that the caller made up: either may be anything. */
const MOST_OF_NAME = 128;
const MOST_OF_ID = 200;

/** A name that a caller made up, without secrets. */
function showName(name: string, host: TrailHost): string {
  const shown: unknown = JSON.parse(host.show(name, '').text);
  return String(shown).slice(0, MOST_OF_NAME);
}

/** Requests of one call that its line has at most. */
const MOST_REQUESTS = 50;

/** A request that a call made to a server. */
interface RecordedRequest {
  readonly to: string;
  readonly from: number;
  time: number;
  outcome: string;
}

/** The name of a tool, or of one that is not there. */
export function nameOf(tool: BegunCall['tool']): string {
  return typeof tool === 'string' ? tool : tool.metadata.name;
}

function sizeOf(args: unknown): number {
  try {
    return JSON.stringify(args)?.length ?? 0;
  } catch {
    return 0;
  }
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}
