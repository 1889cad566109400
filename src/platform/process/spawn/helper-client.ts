import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment } from '../child-environment.ts';
import { MARKER_VARIABLE } from '../trees/call-mark.ts';
import { onProcessExit } from '../on-process-exit.ts';
import { type HelperNews, type HelperOrder, helperProgram } from './spawn-helper.ts';
import { type ChildExit, HELPER_GONE, type SpawnedChild, type SpawnError, type SpawnRequest } from './spawned-child.ts';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPrivateFolder, removeStaleFolders } from '../../outputs/private-folder.ts';

/** A call that the helper handles. */
interface Call {
  readonly start: PromiseWithResolvers<SpawnedChild | SpawnError>;
  readonly exit: PromiseWithResolvers<ChildExit>;
}

/** Milliseconds to wait for a helper to start. */
const START_LIMIT = 10_000;
const LOST = 'The helper process that starts command lines ended unexpectedly. Call again';

/** Controls one helper process, which starts children without forking the board. */
export class HelperClient {
  readonly #helper: ChildProcess;
  readonly #sockets: HelperSockets;
  readonly #calls = new Map<number, Call>();
  readonly #forgetExit: () => void;
  #lastCall = 0;
  #isGone = false;

  private constructor(helper: ChildProcess, sockets: HelperSockets) {
    this.#helper = helper;
    this.#sockets = sockets;
    this.#forgetExit = onProcessExit(() => this.close());
  }

  /** Starts a helper and waits until it is ready. Rejects when it cannot run here. */
  static async start(): Promise<HelperClient> {
    const sockets = await openHelperSockets();
    let client: HelperClient;
    try {
      client = new HelperClient(startHelper(), sockets);
    } catch (error) {
      sockets.close();
      throw error;
    }
    await client.#setUp();
    return client;
  }

  /** True when the helper has ended and another one is needed. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Starts a child. Never rejects. */
  async spawn(request: SpawnRequest): Promise<SpawnedChild | SpawnError> {
    if (this.#isGone) return { type: 'error', code: HELPER_GONE, message: LOST };
    const call = ++this.#lastCall;
    const entry: Call = { start: Promise.withResolvers(), exit: Promise.withResolvers() };
    this.#calls.set(call, entry);
    this.#helper.channel?.ref();
    this.#tell({ type: 'spawn', call, ...request });
    return entry.start.promise;
  }

  /** Ends the helper and the process groups of its children. */
  close(): void {
    this.#forgetExit();
    if (this.#helper.connected) this.#helper.disconnect();
    this.#lose();
  }

  async #setUp(): Promise<void> {
    const ready = Promise.withResolvers<void>();
    this.#helper.once('error', ready.reject);
    this.#helper.once('exit', () => {
      ready.reject(new Error(LOST));
      this.#lose();
    });
    this.#helper.on('message', (news: HelperNews) => {
      if (news.type === 'ready') ready.resolve();
      else void this.#handle(news);
    });
    this.#helper.stdin?.on('error', () => {});
    this.#helper.stdin?.end(helperProgram());
    this.#tell({ type: 'setup', path: this.#sockets.path, token: this.#sockets.token });
    const timer = setTimeout(() => ready.reject(new Error(LOST)), START_LIMIT);
    try {
      await ready.promise;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    this.#helper.unref();
    this.#helper.channel?.unref();
  }

  #tell(order: HelperOrder): void {
    // The exit event reports a helper that has ended.
    this.#helper.send(order, () => {});
  }

  async #handle(news: Exclude<HelperNews, { type: 'ready' }>): Promise<void> {
    const call = this.#calls.get(news.call);
    if (call === undefined) return;
    if (news.type === 'exit') {
      call.exit.resolve({ type: 'exited', code: news.code, signal: news.signal });
      this.#finish(news.call);
      return;
    }
    const [stdout, stderr, stdin] = await Promise.all(news.sockets.map((number) => this.#sockets.take(number)));
    if (news.type === 'started' && stdout !== undefined && stderr !== undefined) {
      call.start.resolve({ type: 'started', pid: news.pid, stdin, stdout, stderr, exit: call.exit.promise });
    } else if (news.type === 'error') {
      for (const socket of [stdout, stderr, stdin]) socket?.destroy();
      call.start.resolve({ type: 'error', code: news.code, message: news.message });
      this.#finish(news.call);
    }
  }

  #finish(call: number): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#helper.channel?.unref();
  }

  #lose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#forgetExit();
    this.#sockets.close();
    for (const { start, exit } of this.#calls.values()) {
      start.resolve({ type: 'error', code: HELPER_GONE, message: LOST });
      exit.resolve({ type: 'lost', message: LOST });
    }
    this.#calls.clear();
  }
}

function startHelper(): ChildProcess {
  return spawn(process.execPath, ['--input-type=commonjs', '-', 'pegboard-spawn-helper'], {
    // Runs in its own session: the board handles Ctrl-C on the terminal.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    env: childEnvironment({ allowed: ['LD_LIBRARY_PATH', MARKER_VARIABLE], from: process.env }),
  });
}

const NUMBER_LENGTH = 10;

/** The board's ends of the sockets that become the stdio of children. */
interface HelperSockets {
  readonly path: string;
  /** The text that a connection must start with, followed by its number. */
  readonly token: string;
  /** Waits for the socket with this number. From then on it keeps the board alive. */
  take(number: number): Promise<Socket>;
  close(): void;
}

/** Listens on a Unix socket in a private folder. Closes connections that do not send the token. */
async function openHelperSockets(): Promise<HelperSockets> {
  const parent = join(tmpdir(), `pegboard-${process.getuid?.() ?? 'user'}`);
  removeStaleFolders(parent);
  const folder = createPrivateFolder(parent);
  const path = join(folder, 's');
  const token = randomBytes(16).toString('hex');
  const arrived = new Map<number, PromiseWithResolvers<Socket>>();
  const idle = new Set<Socket>();
  const slot = (number: number): PromiseWithResolvers<Socket> => {
    let found = arrived.get(number);
    if (found === undefined) arrived.set(number, (found = Promise.withResolvers()));
    return found;
  };

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    idle.add(socket.unref());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => idle.delete(socket));
    const greet = (): void => {
      // `null` means that the greeting is incomplete.
      const greeting: unknown = socket.read(token.length + NUMBER_LENGTH);
      if (!Buffer.isBuffer(greeting)) return;
      socket.off('readable', greet);
      const text = greeting.toString('latin1');
      if (text.startsWith(token)) slot(Number(text.slice(token.length))).resolve(socket);
      else socket.destroy();
    };
    socket.on('readable', greet);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();

  return {
    path,
    token,
    async take(number) {
      const socket = await slot(number).promise;
      arrived.delete(number);
      idle.delete(socket);
      return socket.ref();
    },
    close() {
      server.close();
      for (const socket of idle) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
