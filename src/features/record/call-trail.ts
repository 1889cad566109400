import { randomBytes } from 'node:crypto';
import { type CallClient, clientOf, describeCaller } from '../../tool/calls/call-owner.ts';
import type { Tool } from '../../tool/tool.ts';
import type { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { BegunCall, CallStage, CallTrail } from '../../pipeline/call-recorder.ts';
import { thisProcess } from '../../platform/process/process-mark.ts';
import type { JournalLine } from '../../platform/store/board-store.ts';
import type { RecordLevel } from './record-settings.ts';

/**
 * Writes the lines of one part of the record: one at its end, and one before that for parts that take longer.
 *
 * `epoch` is the time on the wall, in milliseconds since 1970, at which `performance.now()` was 0: asked once for many lines.
 */
export interface RecordedPart {
  readonly isOver: boolean;
  /** The line of what still runs. */
  toStart(epoch: number): JournalLine;
  toEnd(epoch: number): JournalLine;
}

/** The parts of the journal that a trail uses. */
export interface TrailHost {
  /** Hears that a call is over. */
  ended(trail: RecordedTrail): void;
  /** Arguments or a result as a full record has them. */
  show(value: unknown, tool: BegunCall['tool']): ShownValue;
  /** Takes a line that is written with the next ones. */
  add(line: JournalLine): void;
  /** Writes a line to disk. */
  writeNow(line: JournalLine): Promise<void>;
  /** Writes the start of a call to disk. */
  commit(trail: RecordedTrail): Promise<void>;
}

/** A value as a full record has it. */
export interface ShownValue {
  /** As JSON. */
  readonly text: string;
  /** True when it is the whole value: nothing was cut off or removed. */
  readonly isWhole: boolean;
}

/** Options of a call's trail. */
export interface TrailOptions {
  readonly level: RecordLevel;
  /** True when the call must be on disk before its tool runs. */
  readonly isStrict: boolean;
}

/** The type of a line about an attempt that failed and that another one followed. */
export const ATTEMPT = 'attempt';

const STAGES: readonly CallStage[] = ['check', 'hooks', 'guard', 'person', 'queue', 'run', 'shape'];
const CHECK = 0;

let ownId: string | undefined;
let count = 0;

/** Tells the records of this process from those of others. */
export function recordingProcess(): string {
  return (ownId ??= randomBytes(5).toString('hex'));
}

/** An id that no other record has. */
export function newRecordId(): string {
  return toRecordId(++count);
}

function toRecordId(number: number): string {
  return `${recordingProcess()}-${number.toString(36)}`;
}

/** Facts about one call. Texts are made when its line is written, so that most of the work is done after the call. */
export class RecordedTrail implements CallTrail, RecordedPart {
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
  /** Number of used entries: with room for most calls, the list is not made again during a call. */
  #used = 2;
  #result: ToolResult | undefined;
  #requests: RecordedRequest[] | undefined;

  constructor(call: BegunCall, { level, isStrict }: TrailOptions, host: TrailHost) {
    this.#number = ++count;
    this.#level = level;
    this.#call = call;
    this.#host = host;
    this.toolName = typeof call.tool === 'string' ? showName(call.tool, host) : call.tool.metadata.name;
    this.#marks = [CHECK, performance.now(), 0, 0, 0, 0, 0, 0];
    // A tool may change what it gets: a full record shows what came.
    this.#args = level === 'full' ? host.show(call.args, call.tool) : undefined;
    this.beforeRun = isStrict ? () => host.commit(this) : undefined;
  }

  get id(): string {
    return toRecordId(this.#number);
  }

  enter(stage: CallStage): void {
    this.#mark(STAGES.indexOf(stage));
  }

  #mark(stage: number): void {
    this.#marks[this.#used++] = stage;
    this.#marks[this.#used++] = performance.now();
  }

  /** The time of the newest mark. */
  get #newest(): number {
    return this.#marks[this.#used - 1] ?? 0;
  }

  /** A summary has no values: only the code of the error is told. */
  attempt(number: number, error: ToolError): void {
    const why = this.#level === 'full' ? `,"message":${this.#host.show(error.message, this.toolName).text}` : '';
    // The attempt is the stage that runs now.
    const ms = round(performance.now() - this.#newest);
    const body = `{"attempt":${number},"ms":${ms}${why}}`;
    const common = this.#common(clientOf(this.#call.context));
    this.#host.add({ ...common, type: ATTEMPT, at: Date.now(), outcome: error.code, body });
  }

  request(to: string): (outcome: string) => void {
    const request = new RecordedRequest(to);
    if (this.#requests === undefined) this.#requests = [request];
    else this.#requests.push(request);
    return (outcome) => request.end(outcome);
  }

  /** A summary has no values: the question is left out. */
  async note(type: 'waiting' | 'answered', { question, ...facts }: Readonly<Record<string, unknown>>): Promise<void> {
    const asked = this.#level === 'full' && question !== undefined ? { question } : {};
    const body = this.#host.show({ ...facts, ...asked }, this.toolName).text;
    await this.#host.writeNow({ ...this.#common(clientOf(this.#call.context)), type, at: Date.now(), body });
  }

  end(result: ToolResult): void {
    this.#mark(CHECK);
    this.#result = result;
    this.isOver = true;
    this.#host.ended(this);
  }

  /** The line of a call that still runs. */
  toStart(epoch: number): JournalLine {
    const client = clientOf(this.#call.context);
    const body = this.#body(client, epoch, `,"process":${JSON.stringify(thisProcess())}`);
    return { ...this.#common(client), type: 'started', at: this.#startedAt(epoch), body };
  }

  toEnd(epoch: number): JournalLine {
    const result = this.#result;
    const { durationMs = 0, attempts = 0 } = result?.meta ?? {};
    const requests = this.#requests === undefined ? '' : `,"requests":[${this.#told(this.#requests)}]`;
    const shown =
      this.#level !== 'full' || result === undefined
        ? ''
        : `,"result":${JSON.stringify(this.#host.show(result.toJSON(), this.toolName).text)}`;
    const facts = `,"durationMs":${round(durationMs)},"attempts":${attempts},"stages":{${this.#stages()}}${requests},"inputChars":${sizeOf(this.#call.args)},"outputChars":${result?.text.length ?? 0}${shown}`;
    const client = clientOf(this.#call.context);
    return {
      at: Math.round(epoch + this.#newest),
      type: 'ended',
      call: this.id,
      parent: this.#call.context.recordId,
      tool: this.toolName,
      caller: client.user,
      outcome: result?.ok === false ? result.error.code : 'ok',
      body: this.#body(client, epoch, facts),
    };
  }

  /** By the clock on the wall, which is not asked on the call's own way. */
  #startedAt(epoch: number): number {
    return Math.round(epoch + (this.#marks[1] ?? 0));
  }

  /** Requests, as JSON has them in a list. */
  #told(requests: readonly RecordedRequest[]): string {
    const begun = this.#marks[1] ?? 0;
    let text = '';
    for (const { to, from, time, outcome } of requests.slice(0, MOST_REQUESTS))
      text += `${text === '' ? '' : ','}{"to":${JSON.stringify(to)},"at":${round(from - begun)},"ms":${round(time)},"outcome":${JSON.stringify(outcome)}}`;
    return text;
  }

  /** The stages and their times, as JSON has them between brackets. */
  #stages(): string {
    const marks = this.#marks;
    const last = this.#used - 2;
    let text = '';
    for (let stage = 0; stage < STAGES.length; stage++) {
      let time = -1;
      // Stages and times take turns.
      for (let at = 0; at < last; at += 2)
        if (marks[at] === stage) time = Math.max(time, 0) + (marks[at + 3] ?? 0) - (marks[at + 1] ?? 0);
      if (time >= 0) text += `${text === '' ? '"' : ',"'}${STAGES[stage]}":${round(time)}`;
    }
    return text;
  }

  #common({ user }: CallClient): Pick<JournalLine, 'call' | 'parent' | 'tool' | 'caller'> {
    return { call: this.id, parent: this.#call.context.recordId, tool: this.toolName, caller: user };
  }

  /** Put together as text: that is several times as fast as from an object, and there are many lines. */
  #body({ session, app }: CallClient, epoch: number, facts: string): string {
    const { tool, callId, context } = this.#call;
    const client = app?.();
    const program = client === undefined ? '' : `,"client":${JSON.stringify(client)}`;
    const inSession = session === '' ? '' : `,"session":${JSON.stringify(session)}`;
    const origin = typeof tool === 'string' ? '' : originOf(tool);
    const args = this.#args;
    // A summary says nothing of its level: its lines are the most, and each character of them is written, kept and read.
    const shown =
      args === undefined ? '' : `,"level":"full","args":${JSON.stringify(args.text)},"isArgsWhole":${args.isWhole}`;
    return `{"startedAt":${this.#startedAt(epoch)},"by":${JSON.stringify(describeCaller(context))}${program}${inSession},"callId":${JSON.stringify(callId.slice(0, MOST_OF_ID))}${origin}${shown}${facts}}`;
  }
}

/** Returns a tool's origin as JSON inside of an object: the same for all calls of a tool. */
function originOf({ metadata }: Tool): string {
  let text = origins.get(metadata);
  if (text === undefined) {
    const { source, kind } = metadata;
    text = source === undefined ? '' : `,"source":${JSON.stringify(source)}`;
    if (kind !== undefined) text += `,"kind":${JSON.stringify(kind)}`;
    origins.set(metadata, text);
  }
  return text;
}

const origins = new WeakMap<Tool['metadata'], string>();

/** Characters that are kept of the name of a tool that is not there, and of an id that the caller made up: either may be anything. */
const MOST_OF_NAME = 128;
const MOST_OF_ID = 200;

/** A name that a caller made up, without secrets. */
function showName(name: string, host: TrailHost): string {
  const shown: unknown = JSON.parse(host.show(name, '').text);
  // PostgreSQL holds neither the character 0 nor half a character.
  return String(shown).slice(0, MOST_OF_NAME).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Requests of one call that its line has at most. */
const MOST_REQUESTS = 50;

/** A request that a call made to a server. */
class RecordedRequest {
  readonly to: string;
  readonly from: number = performance.now();
  time = 0;
  outcome = 'running';

  constructor(to: string) {
    this.to = to;
  }

  end(outcome: string): void {
    this.time = performance.now() - this.from;
    this.outcome = outcome;
  }
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

/** Milliseconds with as many places as they are worth. */
export function round(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}
