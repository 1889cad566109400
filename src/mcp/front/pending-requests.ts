import type { JsonRpcId } from '../protocol/json-rpc.ts';

interface Request<Link> {
  readonly line: string;
  /** Follows changes, without an end of its own: each next board continues it. */
  readonly isStream: boolean;
  /** The connection that it was sent to; `undefined` while it waits for one. */
  link: Link | undefined;
  /** Boards that it was sent to. */
  boards: number;
}

/** A request that two boards lost may be what ends them. */
const MOST_BOARDS = 2;
const LOST = 'The board ended twice while it ran this request, which may have had effects. Check before you repeat it.';

/** The requests of a client that are not answered. */
export class PendingRequests<Link> {
  readonly #requests = new Map<JsonRpcId, Request<Link>>();
  readonly #fail: (id: JsonRpcId, message: string) => void;

  constructor(fail: (id: JsonRpcId, message: string) => void) {
    this.#fail = fail;
  }

  /** The number of requests that will be answered. */
  get size(): number {
    return [...this.#requests.values()].filter(({ isStream }) => !isStream).length;
  }

  /** Adds a request that is sent to this board, or waits for one. A board refuses a second request with an open id. */
  add(id: JsonRpcId, { line, isStream }: Pick<Request<Link>, 'line' | 'isStream'>, link: Link | undefined): void {
    if (!this.#requests.has(id)) this.#requests.set(id, { line, isStream, link, boards: link === undefined ? 0 : 1 });
  }

  /** Removes a request and returns the board that has it. */
  remove(id: JsonRpcId): Link | undefined {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    return request?.link;
  }

  /** Takes a request back that a board refused, so that it waits for another one. */
  takeBack(id: JsonRpcId): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    request.link = undefined;
    request.boards--;
  }

  /** Takes an answer; returns false if the request went to another board meanwhile, whose answer counts. */
  answer(id: JsonRpcId, link: Link): boolean {
    const request = this.#requests.get(id);
    if (request !== undefined && request.link !== link) return false;
    this.#requests.delete(id);
    return true;
  }

  /** Returns true if a board will answer one of the requests. */
  has(link: Link): boolean {
    return [...this.#requests.values()].some((request) => request.link === link && !request.isStream);
  }

  /** Takes the streams of a board that leaves, so that the next one continues them. */
  releaseStreams(link: Link): void {
    for (const request of this.#requests.values())
      if (request.isStream && request.link === link) request.link = undefined;
  }

  /** Returns the ids of waiting requests that a board may have run. */
  sentBefore(): JsonRpcId[] {
    return [...this.#requests].flatMap(([id, { link, boards }]) => (link === undefined && boards > 0 ? [id] : []));
  }

  /** Gives all waiting requests to a board and returns their lines. */
  send(link: Link): string[] {
    const waiting = [...this.#requests.values()].filter((request) => request.link === undefined);
    for (const request of waiting) {
      request.link = link;
      request.boards++;
    }
    return waiting.map(({ line }) => line);
  }

  /** Takes the requests of a board that is gone. Returns true if some wait for another board. */
  release(link: Link): boolean {
    let isWaiting = false;
    for (const [id, request] of this.#requests) {
      if (request.link !== link) continue;
      request.link = undefined;
      if (request.isStream) continue;
      if (request.boards < MOST_BOARDS) isWaiting = true;
      else this.#end(id, LOST);
    }
    return isWaiting;
  }

  /** Answers the requests that wait for a board with an error. */
  failUnsent(message: string): void {
    for (const [id, { link }] of this.#requests) if (link === undefined) this.#end(id, message);
  }

  failAll(message: string): void {
    for (const id of this.#requests.keys()) this.#end(id, message);
  }

  #end(id: JsonRpcId, message: string): void {
    this.#requests.delete(id);
    this.#fail(id, message);
  }
}
