import { unlessAborted } from '../../../platform/unless-aborted.ts';
import type { CancelSignal } from '../../../tool/calls/cancellation.ts';
import type { UpstreamClock } from '../upstream-timing.ts';
import type { RequestListener } from './rpc-peer.ts';

/** The tools of a server that were observed to ask questions. All processes of a server share it. */
export interface AskingHabits {
  readonly asking: Set<string>;
  /** Tools that were called and asked nothing. */
  readonly quiet: Set<string>;
}

/** A call that waits to be sent. */
interface TurnRequest extends RequestListener {
  readonly tool: string;
  readonly signal: CancelSignal;
  untimed<T>(work: Promise<T>): Promise<T>;
}

/** A sent call. */
interface Turn {
  readonly call: TurnRequest;
  since: number;
  /** Unanswered questions that were attributed to it. */
  open: number;
  /** True when a question arrived that may have been its own. */
  wasAsked: boolean;
}

interface Waiting {
  readonly turn: Turn;
  readonly start: () => void;
}

interface TurnOptions {
  readonly server: string;
  readonly habits: AskingHabits;
  readonly clock: UpstreamClock;
}

/** Milliseconds in which an unknown tool may ask a question, and in which a question waits for other calls to end. */
const PATIENCE = 10_000;
/** Callers without a person count as one. */
const NO_ANSWERER = {};

/**
 * Finds the caller of a question on connections where the server does not name it.
 *
 * Calls of different people whose tools may ask are sent one after the other, so that a question can belong to only one. Tools that were
 * observed to ask nothing do not wait. If a question arrives during such calls of others, it waits until they end. A question that may
 * still belong to several people is declined.
 */
export class QuestionTurns {
  readonly #options: TurnOptions;
  readonly #running: Turn[] = [];
  readonly #waiting = new Set<Waiting>();
  readonly #held = new Set<(turn: Turn | undefined) => void>();

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Waits until a call may be sent; `leave` ends its turn. Rejects only with the reason of the signal. */
  enter(call: TurnRequest): Turn | Promise<Turn> {
    const turn: Turn = { call, since: 0, open: 0, wasAsked: false };
    if (this.#mustWait(turn)) return call.untimed(this.#wait(turn));
    this.#start(turn);
    return turn;
  }

  /** Ends a call; `isDone` if the server returned a result. */
  leave(turn: Turn, isDone: boolean): void {
    const { habits } = this.#options;
    const { tool } = turn.call;
    removeFrom(this.#running, turn);
    if (isDone && !turn.wasAsked && !habits.quiet.has(tool) && !habits.asking.has(tool)) habits.quiet.add(tool);
    if (this.#waiting.size > 0 || this.#held.size > 0) this.#advance();
  }

  /** Lets the right caller answer a question; passes `undefined` if the caller is unknown. */
  async ask<T>(answer: (listener: RequestListener | undefined) => Promise<T>): Promise<T> {
    const turn = this.#findOne() ?? (await this.#hold());
    if (turn === undefined) return answer(undefined);
    turn.open++;
    try {
      return await answer(turn.call);
    } finally {
      turn.open--;
    }
  }

  #start(turn: Turn): void {
    const { clock } = this.#options;
    turn.since = clock.now();
    this.#running.push(turn);
    // From then on the tool counts as one that asks nothing.
    if (!this.#isKnown(turn.call.tool)) clock.setTimer(() => this.#advance(), PATIENCE);
  }

  async #wait(turn: Turn): Promise<Turn> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { turn, start: resolve };
    this.#waiting.add(waiting);
    try {
      await unlessAborted(promise, turn.call.signal);
      return turn;
    } catch (reason) {
      this.#waiting.delete(waiting);
      this.leave(turn, false);
      throw reason;
    }
  }

  #mustWait(turn: Turn): boolean {
    if (this.#held.size > 0) return true;
    if (this.#options.habits.quiet.has(turn.call.tool)) return false;
    return this.#waiting.size > 0 || this.#isBlocked(turn);
  }

  /** Returns true when a call of another person is running whose tool may ask. */
  #isBlocked({ call }: Turn): boolean {
    const { habits, clock } = this.#options;
    if (habits.quiet.has(call.tool)) return false;
    const own = answererOf(call);
    return this.#running.some(
      ({ call: other, since }) =>
        answererOf(other) !== own &&
        (habits.asking.has(other.tool) || (!habits.quiet.has(other.tool) && clock.now() - since < PATIENCE)),
    );
  }

  #isKnown(tool: string): boolean {
    const { quiet, asking } = this.#options.habits;
    return quiet.has(tool) || asking.has(tool);
  }

  /** Returns the call of a question if all running calls belong to one person: the one with the fewest open questions. */
  #findOne(): Turn | undefined {
    const [first, ...others] = this.#running.toSorted((one, other) => one.open - other.open);
    if (first === undefined) return undefined;
    const answerer = answererOf(first.call);
    if (others.some(({ call }) => answererOf(call) !== answerer)) return undefined;
    this.#noteAsking();
    return first;
  }

  /** Waits until other calls end; `undefined` if that takes too long. */
  async #hold(): Promise<Turn | undefined> {
    if (this.#running.length === 0) return undefined;
    this.#noteAsking();
    const { promise, resolve } = Promise.withResolvers<Turn | undefined>();
    this.#held.add(resolve);
    this.#declineStuck();
    this.#options.clock.setTimer(() => this.#held.has(resolve) && this.#decline(), PATIENCE);
    return promise;
  }

  /** Declines questions when every running call may be waiting for an answer: none would ever end. */
  #declineStuck(): void {
    if (this.#held.size === 0 || this.#held.size < this.#running.length) return;
    for (const { call } of this.#running) {
      this.#options.habits.quiet.delete(call.tool);
      this.#options.habits.asking.add(call.tool);
    }
    this.#decline();
  }

  #decline(): void {
    const count = this.#running.length;
    const message = `The MCP server "${this.#options.server}" asked a question while ${count} calls of different callers were under way, and does not say which of them it belongs to. It was declined. With share: session each client has a process of its own.`;
    for (const { call } of this.#running) call.onLog?.('warning', message);
    const held = [...this.#held];
    this.#held.clear();
    for (const resolve of held) resolve(undefined);
    this.#advance();
  }

  /** Marks the tools of running calls as asking; known quiet tools only if there is no other. */
  #noteAsking(): void {
    const { habits } = this.#options;
    const likely = this.#running.filter(({ call }) => !habits.quiet.has(call.tool));
    for (const turn of likely.length > 0 ? likely : this.#running) {
      turn.wasAsked = true;
      habits.quiet.delete(turn.call.tool);
      habits.asking.add(turn.call.tool);
    }
  }

  #advance(): void {
    for (const resolve of this.#held) {
      const turn = this.#findOne();
      if (turn === undefined && this.#running.length > 0) break;
      this.#held.delete(resolve);
      resolve(turn);
    }
    this.#declineStuck();
    if (this.#held.size > 0) return;
    let isBlocked = false;
    for (const waiting of this.#waiting) {
      const isQuiet = this.#options.habits.quiet.has(waiting.turn.call.tool);
      isBlocked ||= !isQuiet && this.#isBlocked(waiting.turn);
      if (isBlocked && !isQuiet) continue;
      this.#waiting.delete(waiting);
      this.#start(waiting.turn);
      waiting.start();
    }
  }
}

function answererOf({ answerer = NO_ANSWERER }: RequestListener): unknown {
  return answerer;
}

/** Takes an item out of a list that each call adds one to; without a copy for the last one, which most are. */
export function removeFrom<T>(list: T[], item: T): void {
  if (list.at(-1) === item) list.pop();
  else {
    const place = list.indexOf(item);
    if (place !== -1) list.splice(place, 1);
  }
}
