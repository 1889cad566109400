import { setTimeout as pause } from 'node:timers/promises';
import type { ClientRoot } from '../../tool/calls/call-owner.ts';
import { removeFrom } from './session/question-turns.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import type { UpstreamCall } from './session/call-tool.ts';
import type { RequestListener, RpcPeer } from './session/rpc-peer.ts';

/** Events of the folders of a process. */
interface FolderEvents {
  onAsked(): void;
  onTaken(roots: readonly ClientRoot[]): void;
}

/** Milliseconds that a server gets to apply its folders before it is called. */
const SETTLING = 200;
/** Milliseconds for the answer to a ping after that. */
const PING_TIMEOUT = 1000;
/** Milliseconds for a client to list its folders; calls of other clients wait meanwhile. */
const ANSWER_TIMEOUT = 10_000;

/**
 * The folders (roots) of one process of a server: those of the caller for whom it asked first, which it keeps.
 *
 * A server that never asks is for callers with any folders. A new server that asks without a caller gets an empty list; later it waits
 * for the next caller.
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
  /** Ends the wait for a caller's folders. */
  readonly #onLeave = new Map<RequestListener, () => void>();

  constructor(roots: readonly ClientRoot[] | undefined, events: FolderEvents) {
    this.#roots = roots;
    this.#events = events;
  }

  /** Reserves the process for callers with these folders, or with any; false if it has other folders. */
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

  /** Returns true when a caller with these folders may use the process, after the server has received the folders it asked for. */
  fits(roots: readonly ClientRoot[] | undefined): boolean | Promise<boolean> {
    if (this.#asking === undefined && this.#settling === undefined) return this.#hasFor(roots);
    return Promise.all([this.#asking, this.#settling]).then(() => this.fits(roots));
  }

  /** Answers the server; `listener` is the call in which it asks, if known. */
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

  /** A started process keeps its folders and asks for them again. */
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
    // A caller may have brought its folders meanwhile.
    if (this.#roots !== undefined) return;
    this.#roots = isClear ? first : [];
    this.#events.onTaken(this.#roots);
  }

  /** Returns the folders of a caller; none if its call ends, or the client takes too long. */
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

/** Gives the server time to apply its folders: the protocol does not announce when it has. */
async function settle(peer: () => RpcPeer | undefined): Promise<void> {
  await pause(SETTLING, undefined, { ref: false });
  // A server that is slow now was slow with its folders too.
  await peer()
    ?.request('ping', {}, { signal: AbortSignal.timeout(PING_TIMEOUT) })
    .catch(() => undefined);
}

/** Returns the folders of a call's client. A client that does not answer delays only its own call. */
export async function rootsOf(call: UpstreamCall): Promise<readonly ClientRoot[]> {
  const asked = call.roots?.();
  return asked === undefined ? [] : unlessAborted(asked, call.signal);
}
