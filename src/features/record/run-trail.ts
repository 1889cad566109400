import { clientOf, describeCaller } from '../../tool/calls/call-owner.ts';
import type { BegunRun, RunFacts, RunTrail } from '../../pipeline/call-recorder.ts';
import { thisProcess } from '../../platform/process/trees/process-table.ts';
import type { JournalLine } from '../../platform/store/board-store.ts';
import { newRecordId, type RecordedPart, round } from './call-trail.ts';

/** The parts of the journal that the parts of a run use. */
interface RunHost {
  track(part: RecordedPart): void;
  /** Called when a part has ended. */
  ended(part: RecordedPart): void;
}

/** The types of lines about steps: lists of calls omit them, unless the calls inside a run are requested. */
export const STEP_STARTED = 'step-started';
export const STEP_ENDED = 'step-ended';

/** The record of an agent run: a line for the run, and one for each of its steps. */
export class RecordedRun implements RunTrail {
  readonly id: string;
  readonly #run: BegunRun;
  readonly #host: RunHost;
  readonly #whole: RunPart;
  #step: RunPart | undefined;

  constructor(run: BegunRun, host: RunHost) {
    this.id = run.id ?? newRecordId();
    this.#run = run;
    this.#host = host;
    this.#whole = new RunPart(run, { part: 'run', id: this.id, parent: run.context.recordId });
    host.track(this.#whole);
  }

  step(number: number, before: RunFacts = {}): string {
    if (this.#step !== undefined) this.#end(this.#step, 'ok', before);
    const id = `${this.id}#${number}`;
    this.#step = new RunPart(this.#run, { part: 'step', id, parent: this.id });
    this.#host.track(this.#step);
    return id;
  }

  end(outcome: string, facts: RunFacts, last: RunFacts = {}): void {
    if (this.#step !== undefined) this.#end(this.#step, outcome, last);
    this.#end(this.#whole, outcome, facts);
  }

  #end(part: RunPart, outcome: string, facts: RunFacts): void {
    if (part.isOver) return;
    part.end(outcome, facts);
    this.#host.ended(part);
  }
}

/** The identity of a line. */
interface PartOptions {
  readonly part: 'run' | 'step';
  readonly id: string;
  readonly parent: string | undefined;
}

/** A run, or one of its steps. */
class RunPart implements RecordedPart {
  isOver = false;
  readonly #run: BegunRun;
  readonly #options: PartOptions;
  readonly #startedAt = Date.now();
  readonly #from = performance.now();
  #durationMs = 0;
  #outcome = 'ok';
  #facts: RunFacts = {};

  constructor(run: BegunRun, options: PartOptions) {
    this.#run = run;
    this.#options = options;
  }

  end(outcome: string, facts: RunFacts): void {
    this.#durationMs = performance.now() - this.#from;
    this.#outcome = outcome;
    this.#facts = facts;
    this.isOver = true;
  }

  toStart(): JournalLine {
    const type = this.#options.part === 'run' ? 'started' : STEP_STARTED;
    return this.#line(type, this.#startedAt, { process: thisProcess() });
  }

  toEnd(): JournalLine {
    const type = this.#options.part === 'run' ? 'ended' : STEP_ENDED;
    const facts = { durationMs: round(this.#durationMs), ...this.#facts };
    return { ...this.#line(type, Date.now(), facts), outcome: this.#outcome };
  }

  #line(type: string, at: number, facts: Readonly<Record<string, unknown>>): JournalLine {
    const { agent, context } = this.#run;
    const { part, id, parent } = this.#options;
    const { user, session, app } = clientOf(context);
    const by = { by: describeCaller(context), client: app?.(), session: session === '' ? undefined : session };
    const body = JSON.stringify({ startedAt: this.#startedAt, part, ...by, ...facts });
    return { at, type, call: id, parent, tool: agent, caller: user, body };
  }
}
