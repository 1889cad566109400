import { setTimeout as pause } from 'node:timers/promises';
import type { ClientRoot } from '../../tool/calls/call-owner.ts';
import { removeFrom } from './session/remove-from.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import type { UpstreamCall } from './session/call-tool.ts';
import type { RequestListener, RpcPeer } from './session/rpc-peer.ts';

/** Events of a process that has received its folders. */
interface FolderEvents {
  /** The server asks for folders. */
  onAsked(): void;
  /** The process is for callers with these folders from now on. */
  onTaken(roots: readonly ClientRoot[]): void;
}

/** Milliseconds that a server has for its folders before it is called. */
const SETTLING = 200;
/** Milliseconds for an answer after that. */
const PING_TIMEOUT = 1000;
/** Milliseconds that clients have to say what they show: calls of others wait meanwhile. */
const ANSWER_TIMEOUT = 10_000;

/**
 * The folders (roots) that one process of a server gets: those of the caller it asked for, which it keeps.
 *
 * A server that never asks has none, and is for callers with any. One that asks while no caller uses it is told that there
 * are none when it is new; later it waits for the next caller.
 */
export class ServerFolders {
  #roots: readonly ClientRoot[] | undefined;
  readonly #events: FolderEvents;
  readonly #callers: RequestListener[] = [];
  #wasUsed = false;
  #isNew = true;
  #asking: Promise<void> | undefined;
  #settling: Promise<void> | undefined;
  #onCaller: (() => void) | undefined;
  /** Ends the wait for the folders of a caller. */
  readonly #onLeave = new Map<RequestListener, () => void>();

  constructor(roots: readonly ClientRoot[] | undefined, events: FolderEvents) {
    this.#roots = roots;
    this.#events = events;
  }

  /** Keeps it for callers with these folders, or with any; false when it has others already. */
  take(roots: readonly ClientRoot[] | undefined): boolean {
    if (roots !== undefined) this.#roots ??= roots;
    this.#onCaller?.();
    return isSame(this.#roots, roots);
  }

  enter(listener: RequestListener): void {
    this.#wasUsed = true;
    this.#callers.push(listener);
    this.#onCaller?.();
  }

  leave(listener: RequestListener): void {
    removeFrom(this.#callers, listener);
    if (this.#onLeave.size > 0) this.#onLeave.get(listener)?.();
  }

  /** Returns true when a caller with these folders may use it, once the server has received those that it asked for. */
  fits(roots: readonly ClientRoot[] | undefined): boolean | Promise<boolean> {
    if (this.#asking === undefined && this.#settling === undefined) return this.#hasFor(roots);
    return Promise.all([this.#asking, this.#settling]).then(() => this.fits(roots));
  }

  /** Answers the server; `listener` is the call in which it asks, where that is known. */
  async ask(listener: RequestListener | undefined, peer: () => RpcPeer | undefined): Promise<readonly ClientRoot[]> {
    this.#events.onAsked();
    if (this.#roots === undefined) {
      this.#asking ??= this.#choose(listener).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    if (this.#isNew) {
      this.#isNew = false;
      this.#settling = settle(peer).finally(() => {
        this.#settling = undefined;
      });
    }
    return this.#roots ?? [];
  }

  /** The process starts: it keeps its folders, and asks for them again. */
  restart(): void {
    this.#isNew = true;
  }

  #hasFor(roots: readonly ClientRoot[] | undefined): boolean {
    return this.#roots === undefined || (roots !== undefined && isSame(this.#roots, roots));
  }

  async #choose(listener: RequestListener | undefined): Promise<void> {
    if (listener === undefined && this.#callers.length === 0 && this.#wasUsed) {
      await new Promise<void>((resolve) => (this.#onCaller = resolve));
      this.#onCaller = undefined;
    }
    const callers = listener === undefined ? [...this.#callers] : [listener];
    const lists = await Promise.all(callers.map((caller) => this.#listOf(caller)));
    const [first = []] = lists;
    const isClear = lists.every((roots) => isSame(roots, first));
    if (!isClear) {
      const message =
        'The server asked for folders while calls of clients with different folders were under way. It got none.';
      for (const caller of callers) caller.onLog?.('warning', message);
    }
    // A caller may have come with its folders meanwhile.
    if (this.#roots !== undefined) return;
    this.#roots = isClear ? first : [];
    this.#events.onTaken(this.#roots);
  }

  /** The folders of a caller; none where its call is over, or much time has passed, before the client says them. */
  async #listOf(caller: RequestListener): Promise<readonly ClientRoot[]> {
    if (caller.roots === undefined) return [];
    const over = new AbortController();
    this.#onLeave.set(caller, () => over.abort());
    try {
      const late = pause(ANSWER_TIMEOUT, undefined, { ref: false, signal: over.signal });
      return (await Promise.race([caller.roots(), late])) ?? [];
    } catch {
      return [];
    } finally {
      this.#onLeave.delete(caller);
      over.abort();
    }
  }
}

function isSame(one: readonly ClientRoot[] | undefined, other: readonly ClientRoot[] | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Gives the server time to take its folders up, once it has got them: nothing in the protocol tells when it has. */
async function settle(peer: () => RpcPeer | undefined): Promise<void> {
  await pause(SETTLING, undefined, { ref: false });
  // A server that is slow now was slow with its folders too.
  await peer()
    ?.request('ping', {}, { signal: AbortSignal.timeout(PING_TIMEOUT) })
    .catch(() => undefined);
}

/** The folders of the client that a call is made for. A client that never says them delays its own call alone. */
export async function rootsOf(call: UpstreamCall): Promise<readonly ClientRoot[]> {
  const asked = call.roots?.();
  return asked === undefined ? [] : unlessAborted(asked, call.signal);
}
