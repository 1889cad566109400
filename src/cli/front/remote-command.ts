import { isatty } from 'node:tty';
import type { BoardMessage, CallerMessage } from '../../mcp/front/command-messages.ts';
import type { BoardLink } from '../../mcp/front/connect-board.ts';
import { FRAME, FrameReader, writeMessage } from '../../mcp/front/frames.ts';
import { isReaderGone, STOP_PATIENCE, STOP_SIGNALS } from '../shared/command-stop.ts';
import { CallerInput } from './caller-input.ts';

type AskCaller = typeof import('./ask-caller.ts');
type Failures = Pick<typeof import('../run-command-line.ts'), 'reportLoss'>;

/** Loads code that most command lines do not need. */
export interface FrontLoaders {
  readonly loadQuestions: () => Promise<AskCaller>;
  readonly loadFailures: () => Promise<Failures>;
}

/** The side of a command line that stays in its process: streams, signals and questions. */
export class RemoteCommand {
  readonly #link: BoardLink;
  readonly #loaders: FrontLoaders;
  readonly #ended = Promise.withResolvers<number | undefined>();
  readonly #input: CallerInput;
  readonly #questions = new Map<number, AbortController>();
  #ask: Promise<ReturnType<AskCaller['createQuestions']>> | undefined;
  /** The outputs that something was printed to, and those that nobody reads any more. */
  readonly #outputs = new Set<NodeJS.WriteStream>();
  readonly #gone = new Set<NodeJS.WriteStream>();
  /** The exit code of the first signal. */
  #stoppedBy: number | undefined;

  constructor(link: BoardLink, loaders: FrontLoaders) {
    this.#link = link;
    this.#loaders = loaders;
    this.#input = new CallerInput(link.socket);
  }

  async run(args: readonly string[]): Promise<number> {
    const { socket, rest } = this.#link;
    for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(name, () => this.#stop(name));
    if (isatty(1)) process.on('SIGWINCH', () => this.#send({ type: 'resize', columns: process.stdout.columns }));
    const reader = new FrameReader({
      // Written by the board, which has the same version.
      onMessage: (message) => this.#obey(message as BoardMessage),
      onBytes: (kind, bytes) => this.#print(kind === FRAME.stderr ? process.stderr : process.stdout, bytes),
    });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', () => {});
    socket.once('close', () => this.#ended.resolve(undefined));
    reader.push(rest);
    socket.resume();
    const code = await this.#ended.promise;
    await Promise.all([...this.#outputs].filter((output) => !this.#gone.has(output)).map(flush));
    if (code !== undefined) return code;
    if (this.#stoppedBy !== undefined) return this.#stoppedBy;
    const { reportLoss } = await this.#loaders.loadFailures();
    return reportLoss(args);
  }

  #obey(message: BoardMessage): void {
    switch (message.type) {
      case 'exit':
        return this.#ended.resolve(message.code);
      case 'input':
        return this.#input.turn(message.flow);
      case 'heard':
        if (message.as === 'taken') this.#stoppedBy = undefined;
        if (message.as === 'stopped') this.#exitLate(this.#stoppedBy);
        return;
      case 'ask':
        return void this.#answer(message);
      case 'withdraw':
        return this.#questions.get(message.id)?.abort();
    }
  }

  #send(message: CallerMessage): void {
    if (this.#link.socket.writable) writeMessage(this.#link.socket, message);
  }

  #print(output: NodeJS.WriteStream, bytes: Buffer): void {
    const { socket } = this.#link;
    if (!this.#outputs.has(output)) {
      this.#outputs.add(output);
      output.on('error', (error) => {
        if (!isReaderGone(error)) throw error;
        this.#lose(output);
      });
    }
    if (this.#gone.has(output) || output.write(bytes)) return;
    socket.pause();
    output.once('drain', () => socket.resume());
  }

  /** Drops what is printed to an output that nobody reads. After the answer's, the command ends by itself with its own exit code. */
  #lose(output: NodeJS.WriteStream): void {
    if (this.#gone.has(output)) return;
    this.#gone.add(output);
    this.#link.socket.resume();
    if (output !== process.stdout) return;
    this.#send({ type: 'closed' });
    this.#exitLate(0);
  }

  #stop(signal: keyof typeof STOP_SIGNALS): void {
    const code = 128 + STOP_SIGNALS[signal];
    // A second signal exits immediately; the board ends the command.
    if (this.#stoppedBy !== undefined) process.exit(code);
    this.#stoppedBy = code;
    this.#send({ type: 'signal', signal });
  }

  #exitLate(code: number | undefined): void {
    setTimeout(() => process.exit(code), STOP_PATIENCE).unref();
  }

  async #answer({ id, requests }: BoardMessage & { readonly type: 'ask' }): Promise<void> {
    const over = new AbortController();
    this.#questions.set(id, over);
    const { socket } = this.#link;
    // After Ctrl+D, a prompt ends when nothing else keeps this process alive.
    socket.unref();
    try {
      this.#ask ??= this.#loadQuestions();
      const ask = await this.#ask;
      const answers = await ask(requests, over.signal);
      this.#send({ type: 'answer', id, answers });
    } catch {
      this.#send({ type: 'answer', id, answers: [] });
    } finally {
      socket.ref();
      this.#questions.delete(id);
    }
  }

  async #loadQuestions(): Promise<ReturnType<AskCaller['createQuestions']>> {
    const { createQuestions } = await this.#loaders.loadQuestions();
    return createQuestions(new AbortController().signal);
  }
}

/** Waits until everything was written, or nobody reads it. */
function flush(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void output.write('', () => resolve()));
}
