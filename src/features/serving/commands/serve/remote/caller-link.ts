import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import type { BoardMessage, CallerMessage, CallerStreams } from '../../../../../mcp/front/command-messages.ts';
import { FRAME, type FrameKind, FrameReader, writeFrame, writeMessage } from '../../../../../mcp/front/frames.ts';
import type { CliContext } from '../../../../../cli/shared/cli-context.ts';

/** The connection to the process whose command line a board runs: its streams, and messages. */
export class CallerLink {
  readonly stdin: CliContext['stdin'];
  readonly stdout: CliContext['stdout'];
  readonly stderr: CliContext['stderr'];
  readonly #socket: Socket;
  readonly #input: Readable;
  #columns: number | undefined;
  readonly #peeked = Promise.withResolvers<boolean>();
  #onMessage: (message: CallerMessage) => void = () => {};

  constructor(socket: Socket, streams: CallerStreams) {
    this.#socket = socket;
    this.#columns = streams.columns;
    this.#input = this.#createInput();
    const { stdin: isTTY, isPiped } = streams;
    this.stdin = Object.assign(this.#input, { isTTY, isPiped, peek: () => this.#peek() });
    this.stdout = this.#createOutput(FRAME.stdout, streams.stdout);
    this.stderr = this.#createOutput(FRAME.stderr, streams.stderr);
  }

  /** Reads from the connection until it ends. */
  open(handlers: { readonly onMessage: (message: CallerMessage) => void; readonly onLeave: () => void }): void {
    this.#onMessage = handlers.onMessage;
    const socket = this.#socket;
    const reader = new FrameReader({
      // Written by the process of the same version.
      onMessage: (message) => this.#take(message as CallerMessage),
      onBytes: (_, bytes) => {
        if (!this.#input.destroyed && !this.#input.push(bytes)) this.send({ type: 'input', flow: 'pause' });
      },
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        socket.destroy();
      }
    });
    for (const event of ['end', 'close'])
      socket.once(event, () => {
        this.close();
        handlers.onLeave();
      });
    socket.resume();
  }

  send(message: BoardMessage): void {
    if (this.#socket.writable) writeMessage(this.#socket, message);
  }

  /** Sends what the command has printed, and its exit code. */
  async exit(code: number): Promise<void> {
    await Promise.all([this.stdout, this.stderr].map(endOf));
    this.send({ type: 'exit', code });
    this.#socket.end();
  }

  /** Drops all that is printed from now on: no one reads it. */
  close(): void {
    for (const output of [this.stdout, this.stderr]) output.destroy();
    this.#input.destroy();
    this.#peeked.resolve(false);
  }

  #peek(): Promise<boolean> {
    this.send({ type: 'input', flow: 'peek' });
    return this.#peeked.promise;
  }

  #take(message: CallerMessage): void {
    if (message.type === 'inputEnd') this.#input.push(null);
    else if (message.type === 'closed') this.stdout.destroy(readerGone());
    else if (message.type === 'resize') this.#columns = message.columns;
    else if (message.type === 'peeked') this.#peeked.resolve(message.hasInput);
    this.#onMessage(message);
  }

  #createInput(): Readable {
    return new Readable({
      read: () => this.send({ type: 'input', flow: 'start' }),
      destroy: (error, done) => {
        this.send({ type: 'input', flow: 'stop' });
        done(error);
      },
    });
  }

  #createOutput(kind: FrameKind, isTTY: boolean): CliContext['stdout'] {
    const socket = this.#socket;
    const write = (content: Buffer, done: (error?: Error | null) => void): void => {
      if (socket.writable) writeFrame(socket, { kind, content }, done);
      else done(readerGone());
    };
    const output = new Writable({
      write: (chunk: Buffer, _, done) => write(chunk, done),
      writev: (chunks, done) => write(Buffer.concat(chunks.map(({ chunk }): Buffer => chunk)), done),
    });
    // Commands go on when nobody reads.
    output.on('error', () => {});
    const columns = (): number | undefined => this.#columns;
    return Object.defineProperties(output, {
      isTTY: { value: isTTY },
      columns: { get: columns },
    });
  }
}

function endOf(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (output.destroyed) return resolve();
    output.once('close', resolve).end();
  });
}

/** The error that a pipe gives when its reader is gone. */
function readerGone(): Error {
  return Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
}
