import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { type BoardLike, toBoardParts } from '../discovery/board-like.ts';
import type { ApprovalInbox } from '../guard/approval/approval-inbox.ts';
import { createToken, hashToken, isSameHash, readBearer } from '../mcp/server/auth/token-authenticator.ts';
import { findDoubledHeader, hostName } from '../mcp/server/http/gate/check-sender.ts';
import { isLoopback } from '../mcp/server/http/http-options.ts';
import { respondJson, respondText } from '../mcp/server/http/respond.ts';
import type { Elicit } from '../tool/calls/elicitation.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ApprovalDesk, inspectorContext, QuestionInbox } from './approval-desk.ts';
import { AppFrames } from './apps/app-frames.ts';
import { BoardViews } from './board-views.ts';
import { CallLog, followRecord, recordOf } from './call-log.ts';
import { answerApi } from './inspector-api.ts';
import { LiveStreams } from './live-streams.ts';

/** Options of `startInspector`. */
export interface InspectorOptions {
  /** The inbox for approvals on the page, whose `ask` was given to the board or the agent. */
  readonly inbox?: ApprovalInbox | undefined;
  /** The port on 127.0.0.1. Default: any free port. */
  readonly port?: number | undefined;
  /** The maximum size of a request in bytes. Default: 8 MiB. */
  readonly maxBody?: number | undefined;
  /** The folder of a built page. Default: Pegboard's own. */
  readonly page?: string | undefined;
}

/** A running inspector. */
export interface Inspector {
  /** The link for a browser. It contains the token, with which anyone on this machine can call the tools. */
  readonly url: string;
  readonly port: number;
  /** The token of the API, for `Authorization: Bearer TOKEN`. */
  readonly token: string;
  /** Shows a server's question on the page; pass it to `openBoard` for calls made elsewhere. */
  readonly elicit: Elicit;
  /** Stops listening, cancels calls made on the page, and denies waiting approvals. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** The path of app documents. */
const APPS = '/apps/';
const MAX_BODY = 8 * 1024 * 1024;

/** Allows nothing from other sites, nothing inline, and no frames except apps; texts of tools cannot become markup. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * Starts the inspector: a web page on this machine that finds and calls tools, shows calls as they happen, and answers
 * approvals. Throws if the port is not available.
 *
 * @example
 * const inbox = new ApprovalInbox();
 * const board = await openBoard('pegboard.yaml', { approve: inbox.ask });
 * const inspector = await startInspector(board, { inbox });
 * console.log(inspector.url);
 */
export async function startInspector(given: BoardLike, options: InspectorOptions = {}): Promise<Inspector> {
  const { inbox, port = 0, maxBody = MAX_BODY, page } = options;
  const board = toBoardParts(given, 'startInspector');
  const { registry } = board;
  const token = createToken();
  const checkToken = createTokenCheck(token);
  const files = readPageFiles(page);
  const redact = (value: unknown): unknown => registry.executor.redact(value);
  const desk = new ApprovalDesk({ approvals: board.approvals, changes: board.changes, inbox, redact });
  const views = new BoardViews(board, { hasApprovals: desk.isOpen });
  const calls = new CallLog(registry.executor, (name) => registry.get(name)?.inputSchema);
  const questions = new QuestionInbox(() => live.changed('questions'));
  const readQuestions = (): ReturnType<QuestionInbox['list']> => questions.list();
  const live = new LiveStreams({ readApprovals: () => desk.list(), readQuestions, redact });
  const context = inspectorContext(questions.ask);
  const apps = new AppFrames(board, context);
  const parts = { registry, views, calls, desk, questions, context, live, apps, maxBody };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const doubled = findDoubledHeader(request);
    if (doubled !== undefined) {
      return refuse(response, {
        status: 403,
        message: `The header "${doubled}" was sent more than once. Send it once.`,
      });
    }
    const sender = checkSender(request);
    if (sender !== undefined) return refuse(response, sender);
    const url = URL.parse(request.url ?? '/', `http://${HOST}`);
    if (url === null) return refuse(response, { status: 403, message: 'The address is not valid.' });
    if (url.pathname.startsWith(APPS)) return sendApp(request, response, url.pathname.slice(APPS.length));
    if (!url.pathname.startsWith('/api/')) return sendPage(request, response, files.get(url.pathname));
    const visitor = checkToken(request);
    if (visitor !== undefined) return refuse(response, visitor);
    void answerApi({ request, response, url }, parts);
  };
  // A frame cannot send the token: the id in its address is secret and valid for one request.
  const sendApp = (request: IncomingMessage, response: ServerResponse, id: string): void => {
    const document = request.method === 'GET' ? apps.take(id) : undefined;
    if (document === undefined)
      return respondText(response, 'There is nothing here. The document of an app is sent only once.\n', {
        status: 404,
      });
    response.setHeader('content-security-policy', document.policy);
    response.setHeader('connection-allowlist', document.connections);
    response.setHeader('cache-control', 'no-store');
    respondText(response, document.html, { type: 'text/html; charset=utf-8' });
  };
  const sendPage = (request: IncomingMessage, response: ServerResponse, file: ReturnType<typeof files.get>): void => {
    if (files.size === 0) return respondText(response, 'The page was not built. Run: npm run build\n', { status: 503 });
    if (file === undefined)
      return respondText(response, 'There is nothing here. Open the printed link.\n', { status: 404 });
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respondText(response, 'Use GET.\n', { status: 405 });
    const headers = { 'content-type': file.type, 'content-length': file.bytes.length, 'cache-control': 'no-cache' };
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : file.bytes);
  };

  const http = createServer({ maxHeaderSize: 16_384, requestTimeout: 30_000, headersTimeout: 10_000 }, onRequest);
  const actual = await listen(http, port).catch((error: unknown) => {
    calls.close();
    views.close();
    throw error;
  });
  const changed = (): void => {
    views.renew();
    live.changed('board');
  };
  const reloaded = (reload: object): void => {
    views.reloadFault = 'error' in reload && reload.error instanceof Error ? reload.error.message : undefined;
    live.changed('board');
  };
  const stop = [
    board.on?.('reloaded', reloaded),
    board.on?.('reload-failed', reloaded),
    board.on?.('reload-waiting', () => live.changed('approvals')),
    calls.onChange((call) => live.callChanged(call)),
    registry.on('tool:registered', changed),
    registry.on('tool:updated', changed),
    registry.on('tool:removed', changed),
    registry.on('registry:cleared', changed),
  ];
  const closing = new AbortController();
  const record = recordOf(given);
  const following = record === undefined ? undefined : followRecord(record, calls, closing.signal);
  desk.watch(() => live.changed('approvals'));
  return {
    url: `http://${HOST}:${actual}/#token=${token}`,
    port: actual,
    token,
    elicit: questions.ask,
    async close() {
      closing.abort();
      desk.close();
      questions.close();
      for (const end of stop) end?.();
      calls.close();
      live.close();
      views.close();
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await Promise.all([closed, following]);
    },
  };
}

function refuse(response: ServerResponse, { status, message }: VisitorFault): void {
  respondJson(response, JSON.stringify({ error: { code: 'permission_denied', message } }), { status });
}

async function listen(http: ReturnType<typeof createServer>, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message;
      const message = `The inspector cannot listen on ${HOST}:${port}: ${why}. Choose another port, or 0 for any free port.`;
      reject(new ToolError({ code: 'execution_failed', message, cause }));
    });
    http.listen({ port, host: HOST }, resolve);
  });
  // A server that listens on a port always has an address of this type.
  return (http.address() as AddressInfo).port;
}

/** The reason why a request is refused. */
interface VisitorFault {
  readonly status: 401 | 403;
  readonly message: string;
}

/**
 * Refuses requests of other sites: from a host name that was pointed here (Host), or from another page (Origin).
 *
 * Unlike the MCP endpoint it accepts no page but its own, not even from this machine.
 */
function checkSender({ headers }: IncomingMessage): VisitorFault | undefined {
  const { host = '', origin } = headers;
  const name = hostName(`http://${host}`);
  if (name === undefined || !isLoopback(name))
    return { status: 403, message: `The Host "${host}" is not this machine. Open the printed link.` };
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return { status: 403, message: `Pages of "${origin}" may not call the inspector.` };
  return undefined;
}

/** Creates the check of the token. It compares hashes in constant time. */
function createTokenCheck(token: string): (request: IncomingMessage) => VisitorFault | undefined {
  const hash = hashToken(token);
  return (request) => {
    const given = readBearer(request);
    if (given !== undefined && isSameHash(hashToken(given), hash)) return undefined;
    const message = 'This needs the token of the printed link. Open that link; it is new at every start.';
    return { status: 401, message };
  };
}

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Beside the bundle when built, in dist/ when run from source. */
const PLACES = ['inspector/page', 'dist/inspector/page'];
const FOLDERS_UP = 2;

/** Reads the files of the page by request path; empty if the page was not built. */
function readPageFiles(folder: string | undefined = findPage()): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (folder === undefined) return files;
  for (const name of globSync('**/*.*', { cwd: folder })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const file = { type, bytes: readFileSync(join(folder, name)) };
    files.set(name === 'index.html' ? '/' : `/${name.replaceAll('\\', '/')}`, file);
  }
  return files;
}

function findPage(): string | undefined {
  let folder = import.meta.dirname;
  for (let up = 0; up <= FOLDERS_UP; up++, folder = dirname(folder)) {
    const found = PLACES.map((place) => join(folder, place)).find((place) => existsSync(join(place, 'assets')));
    if (found !== undefined) return found;
  }
  return undefined;
}
