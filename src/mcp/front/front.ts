import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../tool/texts/message-of.ts';
import { ERROR_CODES, formatError, formatNotification, type JsonRpcId } from '../protocol/json-rpc.ts';
import { formatOversize, LineReader } from '../protocol/line-reader.ts';
import { BoardOutput, type BoardLine } from './board-output.ts';
import { fitsBoard } from './board-notice.ts';
import { ClientSession, MAX_ID } from './client-session.ts';
import type { BoardLink } from './connect-board.ts';
import {
  CONTROL,
  type Control,
  type FrontInfo,
  type FrontLimits,
  parseControl,
  type ServeWish,
} from './control-line.ts';
import { PendingRequests } from './pending-requests.ts';
import { type Reached, reachBoard, type StartResult, type WantedBoard } from './reach-board.ts';

/** The parts of a front. */
export interface FrontOptions {
  readonly wanted: WantedBoard;
  readonly client: FrontInfo;
  readonly serve: ServeWish;
  /** Opens the client's stream; called when there is a board. */
  readonly openInput: () => Readable;
  /** The client's other stream. */
  readonly output: Writable;
  /** Prints a line for the person who started the front. */
  readonly log: (text: string) => void;
  readonly start: () => Promise<StartResult>;
}

/** A connection to a board. */
interface Link {
  readonly socket: Socket;
  readonly token: string;
}

/** Milliseconds for a board to end its side of a connection. */
const PATIENCE = 5_000;
/** The limits until a board has named its own. */
const LIMITS: FrontLimits = { maxMessage: 8 * 1024 * 1024, grace: 5_000 };
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
  #limits = LIMITS;
  /** True while the client does not read as fast as boards write. */
  #isHeld = false;
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
  async run(): Promise<Exclude<Reached, { readonly type: 'reached' }> | { readonly type: 'ended' }> {
    // A board that starts slowly must not keep a front that was asked to end.
    const reached = await Promise.race([this.#attach(), this.#ended.promise]);
    if (reached !== undefined && reached.type !== 'reached') return reached;
    if (reached !== undefined && !this.#isStopping) this.#read(this.#options.openInput());
    await this.#ended.promise;
    return { type: 'ended' };
  }

  #read(input: Readable): void {
    this.#input = input;
    const limit = (): number => this.#limits.maxMessage;
    const reader = new LineReader({
      get maxBytes() {
        return limit();
      },
      onLine: (line) => this.#take(line),
      onOversize: (size, id) => this.#write(`${formatOversize(id, { size, most: limit() })}\n`),
    });
    input.on('data', (chunk: Buffer) => reader.push(chunk));
    for (const event of ['end', 'close', 'error']) input.once(event, () => this.#leave());
  }

  /** Refuses new requests, waits for open ones, then ends. */
  stop(): void {
    this.#isStopping = true;
    if (this.#pending.size === 0) return this.#leave();
    setTimeout(() => {
      this.#pending.failAll('The server stopped before the call was done. It may have had effects.');
      this.#leave();
    }, this.#limits.grace).unref();
  }

  /** Handles a line of the client. */
  #take(line: string): void {
    // Only boards write control lines.
    const text = line.startsWith(CONTROL) ? ` ${line}` : line;
    const read = this.#session.read(text);
    switch (read.type) {
      case 'request':
        if (this.#isStopping) return this.#fail(read.id, 'The server is stopping.');
        this.#pending.add(read.id, { line: text, isStream: read.isStream }, this.#current);
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
      case 'misnamed': {
        const message = `The id of a request has more than ${MAX_ID} characters. Use a shorter one.`;
        return this.#write(`${formatError(read.id, { code: ERROR_CODES.invalidRequest, message })}\n`);
      }
      case 'other':
        if (this.#current === undefined) this.#waiting.push(text);
    }
    if (this.#current === undefined) void this.#attach();
    else this.#send(this.#current, text);
  }

  /** Passes bytes to the client. Boards wait while it does not read. */
  #write(bytes: Buffer | string): void {
    const { output } = this.#options;
    if (output.write(bytes) || this.#isHeld) return;
    this.#isHeld = true;
    for (const { socket } of this.#links) socket.pause();
    output.once('drain', () => {
      this.#isHeld = false;
      for (const { socket } of this.#links) socket.resume();
    });
  }

  #send({ socket }: Link, line: string): void {
    if (socket.write(`${line}\n`)) return;
    // The client writes faster than the board reads.
    this.#input?.pause();
    socket.once('drain', () => this.#input?.resume());
  }

  /** Attaches to a board, once at a time. */
  #attach(): Promise<Reached> {
    this.#input?.pause();
    this.#attaching ??= this.#reach().then((reached) => {
      this.#attaching = undefined;
      if (reached.type === 'reached') this.#use(reached);
      else {
        this.#pending.failUnsent(reached.type === 'failed' ? reached.message : explainAlone(reached.reason));
        this.#waiting = [];
      }
      this.#input?.resume();
      return reached;
    });
    return this.#attaching;
  }

  async #reach(): Promise<Reached> {
    const { wanted, client, serve, start } = this.#options;
    for (;;) {
      const repeated = this.#pending.sentBefore();
      const greeting = { type: 'attach', client, serve, repeated } as const;
      const reached = await reachBoard(wanted, greeting, start).catch((error: unknown): Reached => ({
        type: 'standalone',
        reason: messageOf(error),
      }));
      if (reached.type !== 'reached') return reached;
      if (this.#pending.sentBefore().every((id) => repeated.includes(id))) return reached;
      // An earlier board was lost meanwhile: this one must know which of its requests may have run.
      reached.socket.destroy();
    }
  }

  /** Uses a board for all that follows. Sends it the client's state and open requests. */
  #use({ socket, token, reply, rest }: BoardLink): void {
    const link: Link = { socket, token };
    if (reply.type === 'attached') this.#limits = reply.limits;
    this.#links.add(link);
    this.#current = link;
    const output = new BoardOutput({
      onLine: (line) => this.#hear(line, link),
      write: (bytes) => this.#write(bytes),
    });
    socket.on('data', (chunk: Buffer) => output.push(chunk));
    socket.on('error', () => {});
    socket.once('close', () => this.#lose(link));
    const { lines, ids } = this.#session.replay();
    for (const id of ids) this.#own.add(id);
    for (const line of [...lines, ...this.#pending.send(link), ...this.#waiting]) socket.write(`${line}\n`);
    this.#waiting = [];
    if (ids.length > 0)
      for (const list of LISTS) this.#write(`${formatNotification(`notifications/${list}/list_changed`)}\n`);
    output.push(rest);
    if (!this.#isHeld) socket.resume();
  }

  /** Reads the head of a line of a board; returns true if the line is for the client. */
  #hear(line: BoardLine, link: Link): boolean {
    if (line.type === 'control') {
      this.#obey(parseControl(line.text), link);
      return false;
    }
    if (line.type === 'question') this.#questions.set(line.id, link);
    if (line.type !== 'answer') return true;
    if (this.#own.delete(line.id) || !this.#pending.answer(line.id, link)) return false;
    if (this.#isStopping && this.#pending.size === 0) this.#leave();
    else this.#closeIfDone(link);
    return true;
  }

  #obey(control: Control, link: Link): void {
    switch (control.type) {
      case 'log':
        return this.#options.log(control.text);
      case 'limits':
        this.#limits = control.limits;
        return;
      case 'leaving':
        return this.#retire(link);
      case 'refused':
        this.#pending.takeBack(control.id);
        this.#retire(link);
        return this.#sendWaiting();
      case 'variables':
        if (fitsBoard({ ...control, token: link.token }, this.#options.wanted)) return;
        this.#retire(link);
        void this.#attach();
        return;
      case 'attached':
      case 'status':
      // Answers to a greeting.
    }
  }

  /** Sends nothing new to a board. */
  #retire(link: Link): void {
    if (this.#current === link) this.#current = undefined;
    this.#pending.releaseStreams(link);
    this.#closeIfDone(link);
  }

  #closeIfDone(link: Link): void {
    if (link !== this.#current && !this.#pending.has(link)) link.socket.end();
  }

  /** A board is gone: takes back its questions, and sends open requests to the next board. */
  #lose(link: Link): void {
    this.#links.delete(link);
    if (this.#current === link) {
      this.#current = undefined;
      if (!this.#isStopping) this.#options.log('the board has ended; the next message starts it again');
    }
    for (const [id, asker] of this.#questions) {
      if (asker !== link) continue;
      this.#questions.delete(id);
      const params = { requestId: id, reason: 'The board that asked has ended.' };
      this.#write(`${formatNotification('notifications/cancelled', params)}\n`);
    }
    if (this.#pending.release(link)) this.#sendWaiting();
  }

  /** Sends the requests that wait to a board. One that an earlier board may have run is named in the greeting of a new connection. */
  #sendWaiting(): void {
    const link = this.#current;
    if (this.#isStopping) return;
    if (link !== undefined && this.#pending.sentBefore().length === 0) {
      for (const line of this.#pending.send(link)) this.#send(link, line);
      return;
    }
    if (link !== undefined) this.#retire(link);
    void this.#attach();
  }

  #fail(id: JsonRpcId, message: string): void {
    this.#write(`${formatError(id, { code: ERROR_CODES.internalError, message })}\n`);
  }

  /** Ends the connections, whose boards end what still runs, and then the front. */
  #leave(): void {
    this.#isStopping = true;
    const closing = [...this.#links].map(({ socket }) => new Promise((resolve) => socket.once('close', resolve).end()));
    const late = setTimeout(() => this.#ended.resolve(), PATIENCE);
    void Promise.all(closing).then(() => {
      clearTimeout(late);
      this.#ended.resolve();
    });
  }
}

function explainAlone(reason: string | undefined): string {
  return `The board is not shared any more${reason === undefined ? '' : `: ${reason}`}. Start this server again.`;
}
