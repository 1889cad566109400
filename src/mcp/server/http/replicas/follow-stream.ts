import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ERROR_CODES, formatError } from '../../../protocol/json-rpc.ts';
import { openEventStream, writeEvent } from '../respond.ts';
import type { Replica } from './replica.ts';
import { type StreamLog, type StreamPlace, type StreamRow, toKey } from './stream-log.ts';

/** Milliseconds between checks of a stream whose process may have been killed. */
const LOOK_AGAIN = 1_000;
/** Milliseconds within which a process has stored what it sent. */
const WRITING_TIME = 1_000;
/** The error for a call whose process is gone: it must not make the client repeat the call unseen. */
export const LOST_CALL =
  'The replica that ran this call is gone, and its answer with it. The call may have had effects; look before you call again.';

/** The stream to resume, and its last received event. */
export interface Resumption extends Pick<StreamPlace, 'session' | 'name'> {
  readonly after: number;
  readonly response: ServerResponse;
}

/** Sends clients the streams of other replicas: stored events first, then the rest as it arrives. */
export class StreamFollowers {
  readonly #replica: Replica;
  readonly #log: StreamLog;
  readonly #waking = new Map<string, Set<() => void>>();
  #isClosed = false;

  constructor(replica: Replica, log: StreamLog) {
    this.#replica = replica;
    this.#log = log;
  }

  /** Finds the record of a stream. Waits for a running process that may be about to write it. */
  async find(place: Pick<StreamPlace, 'session' | 'name'>, replica: string): Promise<StreamRow | undefined> {
    const until = performance.now() + WRITING_TIME;
    for (;;) {
      const row = await this.#log.find(place);
      if (row !== undefined || performance.now() > until) return row;
      if (replica === this.#replica.id || !(await this.#replica.isThere(replica))) return undefined;
      await wait(20);
    }
  }

  /** Sends a stream until it ends or the client disconnects. */
  async follow(row: StreamRow, resumption: Resumption): Promise<void> {
    const { response, name, session } = resumption;
    openEventStream(response);
    const key = toKey(resumption);
    let heard = Promise.withResolvers<void>();
    const wake = (): void => heard.resolve();
    const timer = setInterval(wake, LOOK_AGAIN).unref();
    response.once('close', wake);
    const set = this.#waking.get(key) ?? new Set();
    this.#waking.set(key, set.add(wake));
    try {
      let at = await this.#send(row, { ...resumption, part: 0 });
      let latest = row;
      if (!row.isOver)
        await this.#replica.send(row.replica, {
          type: 'follow',
          session: key.split(' ')[0],
          name,
          by: this.#replica.id,
        });
      while (!latest.isOver && !response.closed) {
        await heard.promise;
        heard = Promise.withResolvers();
        if (this.#isClosed) break;
        // Checked first: the stream may have ended just before its process did.
        const isThere = await this.#replica.isThere(row.replica);
        latest = (await this.#log.find({ session, name })) ?? { ...latest, isOver: true };
        at = await this.#send(latest, { ...resumption, ...at });
        if (latest.isOver || isThere || response.closed) continue;
        const error = { code: ERROR_CODES.internalError, message: LOST_CALL };
        if (row.request !== undefined) writeEvent(response, formatError(row.request, error), `${name}-${at.after + 1}`);
        break;
      }
    } catch {
      // The store is unavailable: a client whose stream ends without an answer reconnects.
    } finally {
      clearInterval(timer);
      set.delete(wake);
      if (set.size === 0) this.#waking.delete(key);
      response.end();
    }
  }

  /** Ends every stream, so that its client continues at another process. */
  close(): void {
    this.#isClosed = true;
    for (const waking of this.#waking.values()) for (const wake of waking) wake();
  }

  /** Checks a stream at once: its replica has announced more. */
  wake(key: string): void {
    for (const wake of this.#waking.get(key) ?? []) wake();
  }

  async #send(
    { parts }: StreamRow,
    from: Resumption & { readonly part: number },
  ): Promise<{ readonly after: number; readonly part: number }> {
    let { after } = from;
    for (const { number, text } of await this.#log.read(from, from.part, parts)) {
      if (number <= after) continue;
      writeEvent(from.response, text, `${from.name}-${number}`);
      after = number;
    }
    return { after, part: parts };
  }
}
