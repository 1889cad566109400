import { randomBytes } from 'node:crypto';
import { type CallClient, clientOf, describeCaller } from '../../tool/calls/call-owner.ts';
import type { Tool } from '../../tool/tool.ts';
import type { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { BegunCall, CallStage, CallTrail } from '../../pipeline/call-recorder.ts';
import { thisProcess } from '../../platform/process/trees/process-table.ts';
import type { JournalLine } from '../../platform/store/board-store.ts';
import type { RecordLevel } from './record-settings.ts';

/**
 * Creates the lines of one part of the record: one at its end, and one before that for parts that take longer.
 *
 * `epoch` is the wall-clock time, in milliseconds since 1970, at which `performance.now()` was 0: read once for many lines.
 */
export interface RecordedPart {
  readonly isOver: boolean;
  /** Returns the line of a part that is still running. */
  toStart(epoch: number): JournalLine;
  toEnd(epoch: number): JournalLine;
}

/** The parts of the journal that a trail uses. */
export interface TrailHost {
  /** Called when a call has ended. */
  ended(trail: RecordedTrail): void;
  /** Formats arguments or a result for a full record. */
  show(value: unknown, tool: BegunCall['tool']): ShownValue;
  /** Adds a line, which is written with the next batch. */
  add(line: JournalLine): void;
  /** Writes a line to disk. */
  writeNow(line: JournalLine): Promise<void>;
  /** Writes the start of a call to disk. */
  commit(trail: RecordedTrail): Promise<void>;
}

/** A value in a full record. */
export interface ShownValue {
  /** As JSON. */
  readonly text: string;
  /** True when the value is complete: nothing was omitted or removed. */
  readonly isWhole: boolean;
}

/** Options of a call's trail. */
export interface TrailOptions {
  readonly level: RecordLevel;
  /** True when the call must be on disk before its tool runs. */
  readonly isStrict: boolean;
}

/** The type of lines about failed attempts that were retried. */
export const ATTEMPT = 'attempt';

const STAGES: readonly CallStage[] = ['check', 'hooks', 'guard', 'person', 'queue', 'run', 'shape'];
const CHECK = 0;

let ownId: string | undefined;
let count = 0;

/** Identifies the records of this process. */
export function recordingProcess(): string {
  return (ownId ??= randomBytes(5).toString('hex'));
}

/** Creates a unique record id. */
export function newRecordId(): string {
  return toRecordId(++count);
}

function toRecordId(number: number): string {
  return `${recordingProcess()}-${number.toString(36)}`;
}

/** Facts about one call. Texts are created when its line is written, so that most of the work happens after the call. */
export class RecordedTrail implements CallTrail, RecordedPart {
  isOver = false;
  readonly beforeRun: (() => Promise<void>) | undefined;
  readonly #number: number;
  readonly #level: RecordLevel;
  readonly #call: BegunCall;
  readonly #host: TrailHost;
  readonly toolName: string;
  readonly #args: ShownValue | undefined;
  /** Stages by number in the order they began, each followed by its time: plain numbers need no further objects. */
  readonly #marks: number[];
  /** Number of used entries: there is room for most calls, so that the list rarely grows during a call. */
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
    // A tool may change its arguments, so a full record stores them before the call.
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

  /** A summary has no values: it contains only the error code. */
  attempt(number: number, error: ToolError): void {
    const why = this.#level === 'full' ? `,"message":${this.#host.show(error.message, this.toolName).text}` : '';
    // The attempt is the current stage.
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

  /** A summary has no values, so the question is omitted. */
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

  /** Returns the line of a call that is still running. */
  toStart(epoch: number): JournalLine {
    const client = clientOf(this.#call.context);
    const body = this.#body(client, epoch, `,"process":${JSON.stringify(thisProcess())}`);
    return { ...this.#common(client), type: 'started', at: this.#startedAt(epoch), body };
  }

  toEnd(epoch: number): JournalLine {
    const result = this.#result;
    const { durationMs = 0, attempts = 0 } = result?.meta ?? {};
    const requests = this.#requests === undefined ? '' : `,"requests":[${this.#formatRequests(this.#requests)}]`;
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

  /** Returns the wall-clock time, which is not read during the call itself. */
  #startedAt(epoch: number): number {
    return Math.round(epoch + (this.#marks[1] ?? 0));
  }

  /** Formats requests as items of a JSON list. */
  #formatRequests(requests: readonly RecordedRequest[]): string {
    const begun = this.#marks[1] ?? 0;
    let text = '';
    for (const { to, from, time, outcome } of requests.slice(0, MOST_REQUESTS))
      text += `${text === '' ? '' : ','}{"to":${JSON.stringify(to)},"at":${round(from - begun)},"ms":${round(time)},"outcome":${JSON.stringify(outcome)}}`;
    return text;
  }

  /** Formats the stages and their times as the inner part of a JSON object. */
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

  /** Concatenates text, which is several times faster than formatting an object, because there are many lines. */
  #body({ session, app }: CallClient, epoch: number, facts: string): string {
    const { tool, callId, context } = this.#call;
    const client = app?.();
    const program = client === undefined ? '' : `,"client":${JSON.stringify(client)}`;
    const inSession = session === '' ? '' : `,"session":${JSON.stringify(session)}`;
    const origin = typeof tool === 'string' ? '' : originOf(tool);
    const args = this.#args;
    // A summary does not state its level: most lines are summaries, and each character is written, stored and read.
    const shown =
      args === undefined ? '' : `,"level":"full","args":${JSON.stringify(args.text)},"isArgsWhole":${args.isWhole}`;
    return `{"startedAt":${this.#startedAt(epoch)},"by":${JSON.stringify(describeCaller(context))}${program}${inSession},"callId":${JSON.stringify(callId.slice(0, MOST_OF_ID))}${origin}${shown}${facts}}`;
  }
}

/** Returns a tool's origin as part of a JSON object: the same for all calls of a tool. */
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

/** Maximum characters of an unknown tool's name and of an id that the caller chose: both may be anything. */
const MOST_OF_NAME = 128;
const MOST_OF_ID = 200;

/** Formats a name that a caller chose, without secrets. */
function showName(name: string, host: TrailHost): string {
  const shown: unknown = JSON.parse(host.show(name, '').text);
  // PostgreSQL stores neither NUL nor lone surrogates.
  return String(shown).slice(0, MOST_OF_NAME).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Maximum requests in the line of one call. */
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

/** Returns the name of a tool, known or unknown. */
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

/** Rounds milliseconds to a useful number of digits. */
export function round(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}
