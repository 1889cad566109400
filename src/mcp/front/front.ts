import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { messageOf } from '../../tool/texts/message-of.ts';
import { ERROR_CODES, formatError, formatNotification, type JsonRpcId } from '../protocol/json-rpc.ts';
import { LineReader } from '../protocol/line-reader.ts';
import { BoardOutput, type BoardLine } from './board-output.ts';
import { fitsBoard } from './board-notice.ts';
import { ClientSession } from './client-session.ts';
import type { BoardLink } from './connect-board.ts';
import { CONTROL, type FrontInfo, parseControl, type ServeWish } from './control-line.ts';
import { PendingRequests } from './pending-requests.ts';
import { type Reached, reachBoard, type StartResult, type WantedBoard } from './reach-board.ts';

/** The parts of a front. */
export interface FrontOptions {
  readonly wanted: WantedBoard;
  readonly client: FrontInfo;
  readonly serve: ServeWish;
  /** Opens the client's stream; called when there is a board. */
  readonly openInput: () => Readable;
  readonly write: (bytes: Buffer | string) => void;
  /** Prints a line for the person who started the front. */
  readonly log: (text: string) => void;
  readonly start: () => Promise<StartResult>;
}

/** A connection to a board. */
interface Link {
  readonly socket: Socket;
  readonly token: string;
}

/** Milliseconds for requests to be answered after the front was asked to end, and for a board to take its leave. */
const GRACE = 5_000;
const STOPPED = 'The server stopped before the call was done. It may have had effects.';
const LISTS = ['tools', 'prompts', 'resources'];

/**
 * Serves one client over its standard streams by a board in another process. Passes bytes, and attaches again when the board is gone: it
 * repeats the client's handshake and its open requests, and announces changed lists.
 */
export class Front {
  readonly #options: FrontOptions;
  readonly #session = new ClientSession();
  readonly #pending = new PendingRequests<Link>((id, message) => this.#fail(id, message));
  /** Questions of boards that the client has not answered. */
  readonly #questions = new Map<JsonRpcId, Link>();
  /** Ids of answers that are not for the client. */
  readonly #own = new Set<JsonRpcId>();
  readonly #links = new Set<Link>();
  #input: Readable | undefined;
  #current: Link | undefined;
  #attaching: Promise<Reached> | undefined;
  /** Notifications that wait for a board. */
  #waiting: string[] = [];
  #isStopping = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: FrontOptions) {
    this.#options = options;
  }

  /** Attaches, then serves the client until its input ends. Returns at once if no board can be reached at first. */
  async run(): Promise<Reached> {
    const reached = await this.#attach();
    if (reached.type !== 'reached') return reached;
    const input = (this.#input = this.#options.openInput());
    const reader = new LineReader({
      // The board knows its limit, and refuses longer messages.
      maxBytes: Number.MAX_SAFE_INTEGER,
      onLine: (line) => this.#take(line),
      onOversize: () => {},
    });
    input.on('data', (chunk: Buffer) => reader.push(chunk));
    for (const event of ['end', 'close', 'error']) input.once(event, () => this.#leave());
    await this.#ended.promise;
    return reached;
  }

  /** Refuses new requests, waits for open ones, then ends. */
  stop(): void {
    this.#isStopping = true;
    if (this.#pending.size === 0) return this.#leave();
    setTimeout(() => {
      this.#pending.failAll(STOPPED);
      this.#leave();
    }, GRACE).unref();
  }

  /** Handles a line of the client. */
  #take(line: string): void {
    // Only boards write control lines.
    const text = line.startsWith(CONTROL) ? ` ${line}` : line;
    const read = this.#session.read(text);
    switch (read.type) {
      case 'request':
        if (this.#isStopping) return this.#fail(read.id, 'The server is stopping.');
        this.#pending.add(read.id, text, this.#current);
        break;
      case 'answer': {
        const asker = this.#questions.get(read.id);
        this.#questions.delete(read.id);
        asker?.socket.write(`${text}\n`);
        return;
      }
      case 'cancel': {
        const link = this.#pending.remove(read.id);
        link?.socket.write(`${text}\n`);
        if (link !== undefined) this.#closeIfDone(link);
        return;
      }
      case 'other':
        if (this.#current === undefined) this.#waiting.push(text);
    }
    if (this.#current === undefined) void this.#attach();
    else this.#send(this.#current, text);
  }

  #send({ socket }: Link, line: string): void {
    if (socket.write(`${line}\n`)) return;
    // The client writes faster than the board reads.
    this.#input?.pause();
    socket.once('drain', () => this.#input?.resume());
  }

  /** Attaches to a board, once at a time. */
  #attach(): Promise<Reached> {
    if (this.#attaching !== undefined) return this.#attaching;
    const { wanted, client, serve, start } = this.#options;
    this.#input?.pause();
    const greeting = { type: 'attach', client, serve, repeated: this.#pending.sentBefore() } as const;
    this.#attaching = reachBoard(wanted, greeting, start)
      .catch((error: unknown): Reached => ({ type: 'failed', message: messageOf(error) }))
      .then((reached) => {
        this.#attaching = undefined;
        if (reached.type === 'reached') this.#use(reached);
        else
          this.#giveUp(reached.type === 'failed' ? reached.message : 'Its files ask for a board of each client now.');
        this.#input?.resume();
        return reached;
      });
    return this.#attaching;
  }

  /** Uses a board for all that follows. Sends it the client's state and open requests. */
  #use({ socket, token, rest }: BoardLink): void {
    const link: Link = { socket, token };
    this.#links.add(link);
    this.#current = link;
    const output = new BoardOutput({
      onLine: (line) => this.#hear(line, link),
      write: (bytes) => this.#options.write(bytes),
    });
    socket.on('data', (chunk: Buffer) => output.push(chunk));
    socket.on('error', () => {});
    socket.once('close', () => this.#lose(link));
    const { lines, ids } = this.#session.replay();
    for (const id of ids) this.#own.add(id);
    for (const line of [...lines, ...this.#pending.send(link), ...this.#waiting]) socket.write(`${line}\n`);
    this.#waiting = [];
    if (ids.length > 0)
      for (const list of LISTS) this.#options.write(`${formatNotification(`notifications/${list}/list_changed`)}\n`);
    output.push(rest);
    socket.resume();
  }

  /** Reads the head of a line of a board; returns true if the line is for the client. */
  #hear(line: BoardLine, link: Link): boolean {
    if (line.type === 'control') {
      this.#obey(line.text, link);
      return false;
    }
    if (line.type === 'question') this.#questions.set(line.id, link);
    if (line.type !== 'answer') return true;
    if (this.#own.delete(line.id)) return false;
    this.#pending.remove(line.id);
    if (this.#isStopping && this.#pending.size === 0) this.#leave();
    else this.#closeIfDone(link);
    return true;
  }

  #obey(text: string, link: Link): void {
    const control = parseControl(text);
    if (control.type === 'log') this.#options.log(control.text);
    if (control.type === 'leaving') this.#retire(link);
    if (control.type === 'declined') {
      this.#pending.decline(control.id);
      this.#retire(link);
      if (this.#current === undefined) void this.#attach();
      else for (const line of this.#pending.send(this.#current)) this.#send(this.#current, line);
    }
    if (control.type === 'variables' && !fitsBoard({ ...control, token: link.token }, this.#options.wanted)) {
      this.#retire(link);
      void this.#attach();
    }
  }

  /** Sends nothing new to a board. */
  #retire(link: Link): void {
    if (this.#current === link) this.#current = undefined;
    this.#closeIfDone(link);
  }

  #closeIfDone(link: Link): void {
    if (link !== this.#current && !this.#pending.has(link)) link.socket.end();
  }

  /** A board is gone: takes back its questions, and sends open requests to the next board. */
  #lose(link: Link): void {
    this.#links.delete(link);
    if (this.#current === link) this.#current = undefined;
    for (const [id, asker] of this.#questions) {
      if (asker !== link) continue;
      this.#questions.delete(id);
      const params = { requestId: id, reason: 'The board that asked has ended.' };
      this.#options.write(`${formatNotification('notifications/cancelled', params)}\n`);
    }
    if (!this.#pending.release(link)) return;
    if (this.#isStopping) {
      this.#pending.failAll(STOPPED);
      this.#leave();
    } else if (this.#current === undefined) void this.#attach();
    // Only a board that learns of them with its first line can tell which of them are safe to repeat.
    else this.#pending.failUnsent(STOPPED);
  }

  /** Answers what waits for a board, which cannot be started. The next message tries again. */
  #giveUp(reason: string): void {
    this.#waiting = [];
    this.#pending.failUnsent(`The board of this server cannot be started. ${reason}`);
  }

  #fail(id: JsonRpcId, message: string): void {
    this.#options.write(`${formatError(id, { code: ERROR_CODES.internalError, message })}\n`);
  }

  /** Ends the connections, whose boards end what still runs, and then the front. */
  #leave(): void {
    this.#isStopping = true;
    const closing = [...this.#links].map(({ socket }) => new Promise((resolve) => socket.once('close', resolve).end()));
    const late = setTimeout(() => this.#ended.resolve(), GRACE);
    void Promise.all(closing).then(() => {
      clearTimeout(late);
      this.#ended.resolve();
    });
  }
}
