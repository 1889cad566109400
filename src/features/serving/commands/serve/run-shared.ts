import { createServer, type Server, type Socket } from 'node:net';
import type { RunningBoard } from '../../../../cli/shared/board/lend-board.ts';
import { formatControl, type FrontLimits, type Hello } from '../../../../mcp/front/control-line.ts';
import { type Caller, LOCAL_USER } from '../../../../mcp/server/caller.ts';
import { GRACE, MAX_MESSAGE } from '../../../../mcp/server/stdio/serve-lines.ts';
import { runForCaller } from './remote/run-for-caller.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { createOutputShelf } from '../../../../platform/outputs/output-shelf.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import { readHello } from './accept-front.ts';
import { readBoardStatus } from './board-status.ts';
import { reportStart } from './report-start.ts';
import { type ServeSection, readGrace } from './serve-settings.ts';
import type { ServeOptions, Serving } from './serving.ts';
import type { AttachedFront, SharedFronts } from './shared-fronts.ts';
import type { SharedPlace } from './shared-place.ts';
import { stopWhenIdle } from './stop-when-idle.ts';

/** A client of the user who started the board, beside others. */
const FRONT: Caller = { ...LOCAL_USER, sharesAlone: true };
/** Messages of a front that are handled in a turn: a client that floods the board must not delay others. */
const AT_ONCE = 4;
/** Milliseconds for a front to read the last bytes. */
const LAST_READ = 5_000;

interface SharedOptions extends Pick<ServeOptions, 'context'> {
  readonly place: SharedPlace;
  readonly fronts: SharedFronts;
  /** The paths of the board's files. */
  readonly files: readonly string[];
}

/** Serves the fronts of this machine until none was attached for a while, or the process is asked to end. */
export async function runShared(serving: Serving, { context, place, fronts, files }: SharedOptions): Promise<void> {
  const { board, failed, section } = serving;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, context.signal, failed]);
  context.onTerminate?.(() => stop.abort());
  const sessions = new Set<Promise<void>>();
  const running: RunningBoard = { board, files, cwd: context.cwd };
  const keep = async (session: Promise<void>): Promise<void> => {
    sessions.add(session);
    await session.finally(() => sessions.delete(session));
  };
  const greet = async (socket: Socket): Promise<void> => {
    socket.on('error', () => {});
    const hello = await readHello(socket, place.token);
    if (hello === undefined) return;
    if (hello.type === 'attach') {
      // The front starts another board.
      if (signal.aborted) return void socket.destroy();
      await keep(attach(socket, hello, { serving, fronts, signal, mark: place.mark }));
    } else if (hello.type === 'run') {
      const leave = fronts.enter(hello.line);
      const options = { context, running, signal, grace: () => readGrace(section()) ?? GRACE };
      await keep(runForCaller(socket, hello.line, options)).finally(leave);
    } else if (hello.type === 'stop') {
      socket.write(formatControl({ type: 'leaving' }));
      stop.abort();
      // The connection ends with this process.
      return;
    } else socket.write(formatControl({ type: 'status', status: readBoardStatus(serving, fronts) }));
    endSoon(socket);
  };
  // A front that ended its side still gets the last answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => void greet(socket));
  try {
    await listen(server, place.socket);
    // Another process may have started the same board meanwhile, and be killed before it could say so.
    if (!(await place.claim())) {
      server.close();
      return reportStart({ type: 'started' });
    }
  } catch (error) {
    server.close();
    return reportStart({ type: 'standalone', reason: messageOf(error) });
  }
  server.on('error', (error) => serving.log(`warning: a client could not attach: ${error.message}`));
  board.outputs.share(createOutputShelf(() => board.store, { outlivesProcess: true }));
  let limits = readLimits(section());
  serving.onReload((next) => {
    if (place.publish()) fronts.tell({ type: 'variables', ...place.describe() });
    const changed = readLimits(next);
    if (JSON.stringify(changed) !== JSON.stringify(limits)) fronts.tell({ type: 'limits', limits: changed });
    limits = changed;
  });
  const idle = stopWhenIdle(serving, { fronts, stop: () => stop.abort(), hasSuccessor: () => place.hasSuccessor() });
  reportStart({ type: 'started' });
  // After the report: to start the watcher takes milliseconds, for which a client would wait.
  place.watch();
  await aborted(signal);
  idle.end();
  // Fronts that come from now on start another board.
  place.remove();
  server.close();
  fronts.leave();
  const grace = AbortSignal.timeout(readGrace(section()) ?? GRACE);
  await Promise.all(sessions);
  while (serving.runningTasks() > 0 && !grace.aborted) await pause(10);
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
  socket.write(formatControl({ type: 'attached', pid: process.pid, limits: readLimits(section()) }));
  if (eager === true) for (const server of board.servers) void server.connect();
  let front: AttachedFront | undefined;
  const session = serveLines(serverFor({ mode, compat }), FRONT, {
    input: socket,
    output: socket,
    maxMessage: () => readLimits(section()).maxMessage,
    signal,
    grace: () => readGrace(section()),
    refuse: (id) => void socket.write(formatControl({ type: 'refused', id })),
    atOnce: AT_ONCE,
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

function readLimits(section: ServeSection): FrontLimits {
  return { maxMessage: section.limits?.max_body ?? MAX_MESSAGE, grace: readGrace(section) ?? GRACE };
}

/** Ends a connection once its last bytes are read; one whose front does not read is closed without them. */
function endSoon(socket: Socket): void {
  const late = setTimeout(() => socket.destroy(), LAST_READ).unref();
  socket.once('close', () => clearTimeout(late)).end();
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
