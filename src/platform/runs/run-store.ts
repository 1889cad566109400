import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ToolError } from '../../tool/tool-error.ts';
import type { SealedStore } from '../store/sealed-space.ts';
import type { BoardRuns, RunDetails, RunInfo, RunListOptions, RunStepInfo } from './board-runs.ts';
import type { RunEntry, RunHeader } from './run-entry.ts';
import { readLog, RUN_LEASE, RUN_WISHES, RunLog, RUNS, RUNS_CHANNEL, type RunStart, writeEntry } from './run-log.ts';
import { toPlace } from './run-place.ts';
import { decodeState, encodeState } from '../jobs/state-codec.ts';

/** Milliseconds that a wish to cancel waits for the process that works on the run. */
const WISH_TTL = 10 * 60_000;
/** Milliseconds between looks at a run whose process may have been killed. */
const LOOK_AGAIN = 1_000;
/** A run that a call of another began has the other's id before its own place. */
const ID = /^[A-Za-z0-9_.:@-]{1,128}(?:\/[0-9.]{1,16}){0,16}$/;

/** The runs in a board's store. */
export class RunStore implements BoardRuns {
  readonly #store: SealedStore;

  constructor(store: SealedStore) {
    this.#store = store;
  }

  async list({ status, caller, parent }: RunListOptions = {}): Promise<RunInfo[]> {
    const prefix = parent === undefined ? '' : `${parent}/`;
    const records = await this.#store.space(RUNS).entries({ prefix });
    const headers = records
      .flatMap(({ value }) => (value === undefined ? [] : [parseHeader(value)]))
      .filter((header) => header.parent === parent && (caller === undefined || header.caller === caller));
    const found = await Promise.all(headers.map((header) => this.#toInfo(header)));
    return found
      .filter((info) => status === undefined || info.status === status)
      .toSorted((one, other) => other.startedAt - one.startedAt);
  }

  async get(id: string): Promise<RunDetails | undefined> {
    const header = await this.#header(id);
    if (header === undefined) return undefined;
    const steps = header.steps ?? outlineOf(await readLog(this.#store, id), await this.list({ parent: id }));
    return { ...(await this.#toInfo(header)), steps };
  }

  async cancel(
    id: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RunInfo | undefined> {
    const known = await this.#header(id);
    if (known === undefined) return undefined;
    if (known.endedAt !== undefined) return this.#toInfo(known);
    await this.#store.space(RUN_WISHES).set(id, { at: Date.now() }, { ttl: WISH_TTL });
    await this.#store.signal(RUNS_CHANNEL);
    let heard = Promise.withResolvers<void>();
    const wake = (): void => heard.resolve();
    const stop = this.#store.watch(RUNS_CHANNEL, wake);
    const timer = setInterval(wake, LOOK_AGAIN);
    signal?.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        signal?.throwIfAborted();
        const log = await this.#take(id);
        if (log !== undefined) {
          try {
            if (!log.isOver) await log.end({ state: 'cancelled', steps: outlineOf(log.entries, []) });
            return await this.#toInfo(log.header);
          } finally {
            await log.release();
          }
        }
        await heard.promise;
        heard = Promise.withResolvers();
      }
    } finally {
      stop();
      clearInterval(timer);
      signal?.removeEventListener('abort', wake);
    }
  }

  async open(id: string, start?: RunStart): Promise<RunLog> {
    // The place of a call is for the run that makes it.
    const isTaken = start !== undefined && start.parent === undefined && id.includes('/');
    if (isTaken || !ID.test(id)) {
      const message = `A run's id is 1 to 128 of A-Z a-z 0-9 _ . : @ -; got "${id.slice(0, 200)}".`;
      throw new ToolError({ code: 'invalid_arguments', message, field: 'run' });
    }
    const log = await this.#take(id, start);
    if (log === undefined) {
      const holder = (await this.#store.leaseHolder(toLease(id))) ?? 'another process';
      const message = `The run "${id}" is being worked on by ${holder}. Wait for its end, or end it: pegboard runs cancel ${id}`;
      throw new ToolError({ code: 'busy', message, field: 'run' });
    }
    const { header } = log;
    if (start === undefined) return log;
    const isOwn = header.caller === start.caller && header.parent === start.parent;
    if (isOwn && header.digest === digestOf(start)) return log;
    await log.release();
    // Whose it is not learns nothing of it.
    if (!isOwn) throw new ToolError({ code: 'already_exists', message: describeForeign(id), field: 'run' });
    const message = `There is a run "${id}" of the agent "${log.header.agent}" that was started with something else. Resume it (in code: resumeRun, at a terminal: pegboard runs resume), or choose another id.`;
    throw new ToolError({ code: 'already_exists', message, field: 'run' });
  }

  /** Takes a run up; `undefined` while another holds it. */
  async #take(id: string, start?: RunStart): Promise<RunLog | undefined> {
    const store = this.#store;
    const holder = `process ${process.pid} on ${hostname()}`;
    const lease = await store.takeLease(toLease(id), { holder, ttl: RUN_LEASE });
    if (lease === undefined) return undefined;
    const endChildren = (ended: string): Promise<void> => this.#endChildren(ended);
    try {
      const known = await this.#header(id);
      if (known !== undefined) {
        const entries = known.endedAt === undefined ? await readLog(store, id) : [];
        return new RunLog({ store, lease, header: known, entries, endChildren });
      }
      if (start === undefined) {
        const message = `There is no run "${id}" (any more). pegboard runs list shows them.`;
        throw new ToolError({ code: 'not_found', message, field: 'run' });
      }
      const now = Date.now();
      const { agent, caller, session, parent, input, history } = start;
      const header: RunHeader = {
        id,
        nonce: randomBytes(16).toString('hex'),
        agent,
        digest: digestOf(start),
        caller,
        startedAt: now,
        changedAt: now,
        state: 'open',
        waitingFor: [],
        ...(session === undefined ? {} : { session }),
        ...(parent === undefined ? {} : { parent }),
      };
      const first: RunEntry = { type: 'input', input, history };
      await store.transaction(async (inside) => {
        await inside.fence(lease);
        await inside.space(RUNS).set(id, encodeState(header));
        await writeEntry(inside, id, { number: 0, entry: first });
      });
      return new RunLog({ store, lease, header, entries: [first], endChildren });
    } catch (error) {
      await lease.release().catch(() => undefined);
      throw error;
    }
  }

  /** Ends runs that were begun by calls of a run that is over. */
  async #endChildren(id: string): Promise<void> {
    for (const { value } of await this.#store.space(RUNS).entries({ prefix: `${id}/` })) {
      const header = value === undefined ? undefined : parseHeader(value);
      if (header === undefined || header.endedAt !== undefined) continue;
      const lease = await this.#store.takeLease(toLease(header.id), { holder: `run ${id}`, ttl: RUN_LEASE });
      if (lease === undefined) continue;
      const log = new RunLog({ store: this.#store, lease, header, entries: [], endChildren: async () => undefined });
      await log.end({ state: 'cancelled', reason: `The run "${id}" that began it is over.`, steps: [] });
      await log.release();
    }
  }

  async #header(id: string): Promise<RunHeader | undefined> {
    const value = await this.#store.space(RUNS).get(id);
    return value === undefined ? undefined : parseHeader(value);
  }

  async #toInfo(header: RunHeader): Promise<RunInfo> {
    const { id, agent, caller, startedAt, changedAt, endedAt, session, parent, state, reason, text, waitingFor } =
      header;
    const holder = endedAt === undefined ? await this.#store.leaseHolder(toLease(id)) : undefined;
    const status = holder !== undefined ? 'running' : state === 'open' ? 'interrupted' : state;
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

/** The steps of a run from its log, without values. */
export function outlineOf(entries: readonly RunEntry[], children: readonly Pick<RunInfo, 'id'>[]): RunStepInfo[] {
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

function toLease(id: string): string {
  return `agent-run ${id}`;
}

function digestOf({ agent, input }: Pick<RunStart, 'agent' | 'input'>): string {
  return createHash('sha256')
    .update(encodeState([agent, input]))
    .digest('hex');
}

function parseHeader(value: unknown): RunHeader {
  // Only runs write here, and what they write is sealed.
  return decodeState(String(value)) as RunHeader;
}
