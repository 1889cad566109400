import { createHash, randomBytes } from 'node:crypto';
import { ToolError } from '../../tool/tool-error.ts';
import { hasEnded, type JobEnd, type JobRecord } from '../jobs/job-record.ts';
import { Jobs } from '../jobs/jobs.ts';
import { encodeState } from '../jobs/job-tables.ts';
import type { SealedStore } from '../store/sealed-space.ts';
import {
  type BoardRuns,
  type RunDetails,
  type RunEnd,
  type RunEntry,
  type RunFacts,
  type RunInfo,
  type RunJob,
  type RunListOptions,
  type RunStart,
  type RunStepInfo,
  toPlace,
} from './board-runs.ts';

/** Milliseconds to keep an ended run. */
const KEPT = 7 * 24 * 60 * 60_000;
/** The id of a run started by another run's call is the other's id and the position of the call. */
const ID = /^[A-Za-z0-9_.:@-]{1,128}(?:\/[0-9.]{1,16}){0,16}$/;

export class RunStore implements BoardRuns {
  readonly #jobs: Jobs<RunFacts, RunEntry, RunEnd>;

  constructor(store: SealedStore) {
    this.#jobs = new Jobs(() => store, { name: 'agent-runs', keepEnded: KEPT });
  }

  async list({ status, caller, parent }: RunListOptions = {}): Promise<RunInfo[]> {
    const jobs = await this.#jobs.list({ prefix: parent === undefined ? '' : `${parent}/` });
    const wanted = jobs.filter(
      ({ info, owner }) => info.parent === parent && (caller === undefined || owner === caller),
    );
    const found = await Promise.all(wanted.map((job) => this.#toInfo(job)));
    return found
      .filter((info) => status === undefined || info.status === status)
      .toSorted((one, other) => other.startedAt - one.startedAt);
  }

  async get(id: string): Promise<RunDetails | undefined> {
    const job = await this.#jobs.get(id);
    if (job === undefined) return undefined;
    const steps = hasEnded(job)
      ? (await this.#jobs.result(id))?.steps
      : outlineOf(await this.#jobs.entries(id), await this.list({ parent: id }));
    return { ...(await this.#toInfo(job)), steps: steps ?? [] };
  }

  async cancel(
    id: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RunInfo | undefined> {
    const end = (run: RunJob): Promise<void> => this.end(run, 'cancelled', { steps: outlineOf(run.entries, []) });
    const job = await this.#jobs.cancel(id, end, signal);
    if (job !== undefined) return this.#toInfo(job);
    signal?.throwIfAborted();
    return undefined;
  }

  async open(id: string, start?: RunStart): Promise<RunJob> {
    // Only calls of a run may start runs below its id.
    const isTaken = start !== undefined && start.parent === undefined && id.includes('/');
    if (isTaken || !ID.test(id)) {
      const message = `A run's id is 1 to 128 of A-Z a-z 0-9 _ . : @ -; got "${id.slice(0, 200)}".`;
      throw new ToolError({ code: 'invalid_arguments', message, field: 'run' });
    }
    const run = await this.#jobs.open(id, start && toJobStart(start));
    if (run === 'missing') {
      const message = `There is no run "${id}". List the runs with pegboard runs list.`;
      throw new ToolError({ code: 'not_found', message, field: 'run' });
    }
    if (run === 'held') {
      const holder = (await this.#jobs.holder(id)) ?? 'another process';
      const message = `The run "${id}" is in progress in ${holder}. Wait for its end, or cancel it: pegboard runs cancel ${id}`;
      throw new ToolError({ code: 'busy', message, field: 'run' });
    }
    if (start === undefined) return run;
    const { owner, info } = run.record;
    const isOwn = owner === start.caller && info.parent === start.parent;
    if (isOwn && info.digest === digestOf(start)) return run;
    await run.release();
    // Other callers must learn nothing about the run.
    if (!isOwn) throw new ToolError({ code: 'already_exists', message: describeForeign(id), field: 'run' });
    const message = `There is a run "${id}" of the agent "${info.agent}" with other input. Resume it (in code: resumeRun, at a terminal: pegboard runs resume), or choose another id.`;
    throw new ToolError({ code: 'already_exists', message, field: 'run' });
  }

  async end(
    run: RunJob,
    state: JobEnd,
    { facts, ...result }: RunEnd & { readonly facts?: Partial<RunFacts> },
  ): Promise<void> {
    // The reason of an earlier interruption does not apply to the end.
    await run.end(state, { info: { reason: undefined, ...facts, waitingFor: [] }, result });
    const { id } = run.record;
    for (const child of await this.#jobs.list({ prefix: `${id}/` })) {
      const below = hasEnded(child) ? 'held' : await this.#jobs.open(child.id);
      if (typeof below === 'string') continue;
      const reason = `The run "${id}" that started it has ended.`;
      if (!below.isOver) await below.end('cancelled', { info: { reason, waitingFor: [] }, result: { steps: [] } });
      await below.release();
    }
  }

  async #toInfo(job: JobRecord<RunFacts>): Promise<RunInfo> {
    const { id, owner: caller, createdAt: startedAt, changedAt, endedAt, state } = job;
    const { agent, session, parent, reason, text, waitingFor } = job.info;
    const holder = hasEnded(job) ? undefined : await this.#jobs.holder(id);
    const known = state === 'working' ? 'interrupted' : state === 'done' ? 'completed' : state;
    const status = holder === undefined ? known : 'running';
    return {
      id,
      agent,
      status,
      caller,
      startedAt,
      changedAt,
      waitingFor,
      ...(endedAt === undefined ? {} : { endedAt }),
      ...(session === undefined ? {} : { session }),
      ...(parent === undefined ? {} : { parent }),
      ...(holder === undefined ? {} : { holder }),
      ...(reason === undefined || status === 'running' ? {} : { reason }),
      ...(text === undefined ? {} : { text }),
    };
  }
}

/** Reads the steps of a run from its log, without values. */
function outlineOf(entries: readonly RunEntry[], children: readonly Pick<RunInfo, 'id'>[]): RunStepInfo[] {
  const steps = new Map<number, { tool: string; outcome: string; run?: string }[]>();
  for (const entry of entries) {
    if (entry.type === 'reply')
      steps.set(
        entry.step,
        entry.tools.map((tool) => ({ tool, outcome: 'open' })),
      );
    if (!('index' in entry)) continue;
    const call = steps.get(entry.step)?.[entry.index];
    if (call === undefined) continue;
    const child = children.find(({ id }) => id.endsWith(`/${toPlace(entry)}`));
    if (child !== undefined) call.run = child.id;
    if (entry.type === 'call') call.outcome = 'started';
    else if (entry.type === 'wait') call.outcome = 'waiting';
    else if (entry.type === 'result') call.outcome = entry.outcome;
  }
  return [...steps].map(([number, calls]) => ({ number, calls }));
}

function describeForeign(id: string): string {
  return `There is a run "${id}" of another caller, or below another run. Choose another id.`;
}

function toJobStart(start: RunStart): { owner: string; info: RunFacts; entries: RunEntry[] } {
  const { agent, caller: owner, session, parent, input, history } = start;
  const nonce = randomBytes(16).toString('hex');
  const info = { nonce, agent, digest: digestOf(start), session, parent, waitingFor: [] };
  return { owner, info, entries: [{ type: 'input', input, history }] };
}

function digestOf({ agent, input }: Pick<RunStart, 'agent' | 'input'>): string {
  return createHash('sha256')
    .update(encodeState([agent, input]))
    .digest('hex');
}
