import { createServer, type Server, type Socket } from 'node:net';
import { parseDuration } from '../../../../kinds/parse-units.ts';
import { formatControl, type Hello } from '../../../../mcp/front/control-line.ts';
import type { RunningBoard } from '../../../../cli/shared/board/lend-board.ts';
import { LOCAL_USER } from '../../../../mcp/server/caller.ts';
import { runForCaller } from './remote/run-for-caller.ts';
import { createOutputShelf } from '../../../../platform/outputs/output-shelf.ts';
import { readHello } from './accept-front.ts';
import { readBoardStatus } from './board-status.ts';
import { reportStart } from './report-start.ts';
import { readGrace } from './serve-settings.ts';
import type { ServeOptions, Serving } from './serving.ts';
import type { AttachedFront, SharedFronts } from './shared-fronts.ts';
import type { SharedPlace } from './shared-place.ts';

/** Milliseconds without a front after which the board ends. */
const IDLE = 10 * 60_000;
const MAX_MESSAGE = 8 * 1024 * 1024;
/** Milliseconds that command lines have to end when the board stops. */
const GRACE = 5_000;

interface SharedOptions extends Pick<ServeOptions, 'context'> {
  readonly place: SharedPlace;
  readonly fronts: SharedFronts;
  /** The paths of the board's files. */
  readonly files: readonly string[];
}

/** Serves the fronts of this machine until none was attached for a while, or the process is asked to end. */
export async function runShared(serving: Serving, { context, place, fronts, files }: SharedOptions): Promise<void> {
  const { board, failed } = serving;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, context.signal, failed]);
  context.onTerminate?.(() => stop.abort());
  board.outputs.share(createOutputShelf(() => board.store, { outlivesProcess: true }));
  const sessions = new Set<Promise<void>>();
  const running: RunningBoard = { board, files, cwd: context.cwd };
  const keep = async (session: Promise<void>): Promise<void> => {
    sessions.add(session);
    await session.finally(() => sessions.delete(session));
  };
  const greet = async (socket: Socket): Promise<void> => {
    const hello = await readHello(socket, place.token);
    if (hello === undefined) return;
    socket.on('error', () => {});
    if (hello.type === 'attach') {
      await keep(attach(socket, hello, { serving, fronts, signal, mark: place.mark }));
    } else if (hello.type === 'run') {
      const leave = fronts.enter(hello.line);
      const options = { context, running, signal, grace: () => readGrace(serving.section()) ?? GRACE };
      await keep(runForCaller(socket, hello.line, options)).finally(leave);
    } else if (hello.type === 'stop') {
      socket.write(formatControl({ type: 'leaving' }));
      stop.abort();
      // The connection ends with this process.
      return;
    } else socket.write(formatControl({ type: 'status', status: readBoardStatus(serving, fronts) }));
    socket.end();
  };
  // A front that ended its side still gets the last answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => void greet(socket));
  await listen(server, place.socket);
  place.publish();
  board.on('reloaded', () => {
    if (place.publish()) fronts.tell({ type: 'variables', ...place.describe() });
  });
  const idle = stopWhenIdle(serving, fronts, () => stop.abort());
  reportStart({ type: 'started' });
  await aborted(signal);
  idle.end();
  // Fronts that come from now on start another board.
  place.remove();
  server.close();
  fronts.tell({ type: 'leaving' });
  await Promise.all(sessions);
}

interface SessionOptions {
  readonly serving: Serving;
  readonly fronts: SharedFronts;
  readonly signal: AbortSignal;
  readonly mark: string;
}

/** Serves a front as a client of its own until it leaves. */
async function attach(
  socket: Socket,
  hello: Hello & { readonly type: 'attach' },
  { serving, fronts, signal, mark }: SessionOptions,
): Promise<void> {
  const { serveLines } = await import('../../../../mcp/server/stdio/serve-lines.ts');
  const { section, board, serverFor } = serving;
  const { mode, compat, eager } = hello.serve;
  const maxMessage = (): number => section().limits?.max_body ?? MAX_MESSAGE;
  socket.write(formatControl({ type: 'attached', pid: process.pid }));
  if (eager === true) for (const server of board.servers) void server.connect();
  let front: AttachedFront | undefined;
  const session = serveLines(serverFor({ mode, compat }), LOCAL_USER, {
    input: socket,
    output: socket,
    maxMessage,
    signal,
    grace: () => readGrace(section()),
    onOpen: (connection) => {
      connection.questionMark = `${mark}-`;
      connection.repeated = new Set(hello.repeated);
      front = { info: hello.client, since: Date.now(), socket, connection };
      fronts.add(front);
    },
  });
  socket.resume();
  await session;
  if (front !== undefined) fronts.remove(front);
}

/** Calls `stop` when no front was attached for a while and nothing runs. */
function stopWhenIdle({ server, section }: Serving, fronts: SharedFronts, stop: () => void): { end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    clearTimeout(timer);
    if (fronts.size > 0) return;
    const { idle } = section();
    const time = idle === undefined ? IDLE : parseDuration(idle);
    timer = setTimeout(() => (server.runningTasks > 0 ? arm() : stop()), time);
  };
  fronts.onChange = arm;
  arm();
  return { end: () => clearTimeout(timer) };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
