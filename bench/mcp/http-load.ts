import { connect, type Socket } from 'node:net';

/** A request that is sent again and again over one connection. */
export interface HttpLoad {
  readonly url: URL;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request over so many connections, each one after the other, and gives the requests that were answered per second. */
export async function requestsPerSecond(load: HttpLoad, connections: number, total: number): Promise<number> {
  const lines = await Promise.all(Array.from({ length: connections }, () => HttpLine.open(load)));
  const each = Math.ceil(total / connections);
  const started = performance.now();
  await Promise.all(
    lines.map(async (line) => {
      for (let count = 0; count < each; count++) await line.send();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const line of lines) line.close();
  return (each * connections) / seconds;
}

/** Sends one request and gives the body of the answer. */
export async function requestOnce(load: HttpLoad): Promise<string> {
  const line = await HttpLine.open(load);
  const body = await line.send();
  line.close();
  return body;
}

/** A connection as bare as can be, so that what is measured is the server. */
export class HttpLine {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #buffer: Buffer = Buffer.alloc(0);
  #done: ((body: string) => void) | undefined;

  private constructor(socket: Socket, { url, body, headers = {} }: HttpLoad) {
    this.#socket = socket;
    const head = [
      `POST ${url.pathname} HTTP/1.1`,
      `Host: ${url.host}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    this.#request = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static open(load: HttpLoad): Promise<HttpLine> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: load.url.hostname, port: Number(load.url.port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new HttpLine(socket, load)));
    });
  }

  send(): Promise<string> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#socket.write(this.#request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#buffer.toString('latin1', 0, end);
    const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
    const body = length === undefined ? this.#chunked(end + 4) : this.#counted(end + 4, Number(length));
    if (body === undefined) return;
    this.#buffer = Buffer.alloc(0);
    this.#done?.(body);
  }

  #counted(start: number, length: number): string | undefined {
    if (this.#buffer.length < start + length) return undefined;
    return this.#buffer.toString('utf8', start, start + length);
  }

  #chunked(start: number): string | undefined {
    return this.#buffer.subarray(-5).toString('latin1') === '0\r\n\r\n'
      ? this.#buffer.toString('utf8', start)
      : undefined;
  }
}
