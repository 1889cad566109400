// A client of a front that is a test: it writes lines, and keeps all that it reads.
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** A message as JSON. */
export type Message = Readonly<Record<string, unknown>>;

/** A result with the parts that tests read. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: Message;
  readonly error?: { readonly code: number; readonly message: string };
}

const HELLO = { protocolVersion: '2025-11-25', clientInfo: { name: 'test', version: '1' } };

/** A process that serves over its standard streams, and the client at the other end. */
export class FrontClient {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** All lines that came, in order. */
  readonly lines: string[] = [];
  /** Answers requests of the server. */
  answer: (method: string, params: Message) => unknown = () => ({});
  readonly #capabilities: object;
  readonly #waiting = new Map<unknown, (answer: Answer) => void>();
  readonly #listeners = new Set<() => void>();
  #errors = '';
  #lastId = 0;

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, capabilities: object = {}) {
    this.child = child;
    this.#capabilities = capabilities;
    child.stderr.on('data', (chunk) => {
      this.#errors += String(chunk);
      this.#announce();
    });
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
    child.once('exit', () => this.#announce());
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Its lines for people. */
  get errors(): string {
    return this.#errors;
  }

  /** The messages that came, as values. */
  get messages(): Message[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  /** The notifications that came of one method. */
  notified(method: string): Message[] {
    return this.messages.filter((message) => message['method'] === method && !('id' in message));
  }

  #take(line: string): void {
    const message = parse(line);
    // The beginning of a line, of a front that was killed.
    if (message === undefined) return;
    this.lines.push(line);
    const { id, method, params } = message;
    if (typeof method === 'string' && id !== undefined)
      void Promise.resolve(this.answer(method, (params ?? {}) as Message)).then((result) => {
        if (result !== undefined) this.send({ id, result });
      });
    else this.#waiting.get(id)?.(message);
    this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }

  send(message: Message): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** Sends a request and gives its answer. */
  request(method: string, params: Message = {}, id: unknown = ++this.#lastId): Promise<Answer> {
    const answer = new Promise<Answer>((resolve) => void this.#waiting.set(id, resolve));
    this.send({ id, method, params });
    return answer;
  }

  async initialize(): Promise<Answer> {
    const answer = await Promise.race([
      this.request('initialize', { ...HELLO, capabilities: this.#capabilities }),
      once(this.child, 'exit').then(() => {
        throw new Error(`The front ended: ${this.#errors}`);
      }),
    ]);
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  call(name: string, args: Message = {}, meta?: Message): Promise<Answer> {
    const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
    return this.request('tools/call', params);
  }

  /** Calls a tool and gives the text of its result, or of its error. */
  async text(name: string, args: Message = {}): Promise<string> {
    return textOf(await this.call(name, args));
  }

  /** Waits until something is true of what came so far. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const isDone = isTrue();
        if (!isDone && this.child.exitCode === null && this.child.signalCode === null) return;
        this.#listeners.delete(look);
        if (isDone) resolve();
        else reject(new Error(`The front ended first: ${this.#errors}`));
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** Closes the input and waits for the end. */
  async close(): Promise<number | null> {
    this.child.stdin.end();
    return this.ended();
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.ended();
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

/** The texts of a result, or the message of an error. */
export function textOf({ result, error }: Answer): string {
  if (error !== undefined) return error.message;
  // Results of calls have content.
  const content = (result?.['content'] ?? []) as readonly { readonly text?: string }[];
  return content.map(({ text = '' }) => text).join('');
}

function parse(line: string): Message | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
