import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPlainObject } from '../tool/json.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ApprovalReply } from '../guard/approval/kept/approval-record.ts';
import { awaitArrival } from '../board/registry/absent-tools.ts';
import type { ToolRegistry } from '../board/registry/tool-registry.ts';
import { toMcpCallResult } from '../export/mcp.ts';
import { pageOf } from '../tool/app-pages.ts';
import type { AppFrames } from './apps/app-frames.ts';
import type { ApprovalDesk, QuestionInbox } from './approval-desk.ts';
import type { AppAnswer, AppFrame } from './api-types.ts';
import type { BoardViews } from './board-views.ts';
import { type CallLog, toAnswer } from './call-log.ts';
import type { LiveStreams } from './live-streams.ts';
import { explainFault, HttpFault, readJson, sendJson } from './json-exchange.ts';

export interface ApiParts {
  readonly registry: ToolRegistry;
  readonly views: BoardViews;
  readonly calls: CallLog;
  readonly desk: ApprovalDesk;
  readonly questions: QuestionInbox;
  /** Metadata of the calls of the page. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly live: LiveStreams;
  readonly apps: AppFrames;
  readonly maxBody: number;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

type Handler = (visit: Visit, parts: ApiParts, name: string) => unknown;

/** The handlers by address. `*` matches one part, passed as `name`. */
const ROUTES: readonly (readonly [method: 'GET' | 'POST', path: string, handle: Handler])[] = [
  ['GET', '/api/board', (_, { views }) => views.overview()],
  ['GET', '/api/tools', ({ url }, { views }) => views.tools(url.searchParams)],
  ['GET', '/api/tools/*', (_, { views }, name) => views.tool(name)],
  ['POST', '/api/tools/*/call', callTool],
  ['POST', '/api/apps', openApp],
  ['POST', '/api/apps/*/call', callForApp],
  ['POST', '/api/apps/*/read', readForApp],
  ['GET', '/api/calls', ({ url }, { calls }) => ({ calls: calls.list(url.searchParams.get('caller') ?? undefined) })],
  ['GET', '/api/approvals', (_, { desk }) => desk.list()],
  ['GET', '/api/approvals/*/line', ({ url }, { desk }, id) => desk.line(id, readLineScope(url))],
  ['POST', '/api/approvals/*', answerApproval],
  ['GET', '/api/questions', (_, { questions }) => ({ questions: questions.list() })],
  ['POST', '/api/questions/*', answerQuestion],
];

/** Answers a request to the API, whose token was already checked. */
export async function answerApi(visit: Visit, parts: ApiParts): Promise<void> {
  const { request, response, url } = visit;
  try {
    if (url.pathname === '/api/events' && request.method === 'GET') {
      if (parts.live.isFull) throw new HttpFault(503, 'Too many pages are open on the inspector. Close some of them.');
      return parts.live.add(response);
    }
    const answer = await findHandler(visit)(visit, parts);
    // Results are already redacted; names, descriptions and schemas are not.
    sendJson(response, 200, parts.registry.executor.redact(answer));
  } catch (thrown) {
    const { status, code, message } = explainFault(thrown);
    sendJson(response, status, parts.registry.executor.redact({ error: { code, message } }));
  }
}

function findHandler({ request, url }: Visit): (visit: Visit, parts: ApiParts) => unknown {
  const steps = url.pathname.split('/');
  const here = ROUTES.filter(([, path]) => {
    const wanted = path.split('/');
    return wanted.length === steps.length && wanted.every((step, at) => step === '*' || step === steps[at]);
  });
  const found = here.find(([method]) => method === request.method);
  if (found === undefined) {
    if (here.length === 0) throw new HttpFault(404, `There is nothing at ${url.pathname}.`);
    const message = `${request.method} is not supported at ${url.pathname}. Use ${here.map(([method]) => method).join(', ')}.`;
    throw new HttpFault(405, message);
  }
  const [, path, handle] = found;
  const name = decode(steps[path.split('/').indexOf('*')] ?? '');
  return (visit, parts) => handle(visit, parts, name);
}

/** Calls a tool through the pipeline, under the policy. A closed connection cancels the call. */
async function callTool({ request, response }: Visit, parts: ApiParts, name: string): Promise<unknown> {
  const { args = {} } = await readJson(request, parts);
  return whileThere(response, async (signal) => {
    const { registry } = parts;
    const arrival = registry.get(name) === undefined ? registry.absent?.arrival(name, 'retry') : undefined;
    if (arrival !== undefined) await awaitArrival(arrival, name, { signal });
    const { metadata } = parts.views.find(name);
    const result = await registry.call(metadata.name, args, { context: parts.context, signal });
    const forApp = pageOf(metadata._meta) === undefined ? {} : { mcpResult: toMcpCallResult(result) };
    return { ...toAnswer(result), ...forApp };
  });
}

async function openApp({ request }: Visit, parts: ApiParts): Promise<AppFrame> {
  const { tool } = await readJson(request, parts);
  return parts.apps.open(parts.views.find(String(tool)));
}

/** Calls a tool on behalf of an app. */
async function callForApp({ request, response }: Visit, parts: ApiParts, id: string): Promise<AppAnswer> {
  const { name, arguments: args } = await readJson(request, parts);
  return whileThere(response, async (signal) => {
    return { mcpResult: { ...toMcpCallResult(await parts.apps.call(id, { name, args, signal })) } };
  });
}

async function readForApp({ request }: Visit, parts: ApiParts, id: string): Promise<AppAnswer> {
  const { uri } = await readJson(request, parts);
  // An MCP result is always an object.
  return { mcpResult: (await parts.apps.read(id, uri)) as AppAnswer['mcpResult'] };
}

/** Runs work that is cancelled when the page disconnects. */
async function whileThere<T>(response: ServerResponse, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error('The page went away.'));
  response.once('close', leave);
  try {
    return await work(gone.signal);
  } finally {
    response.off('close', leave);
  }
}

async function answerApproval({ request }: Visit, parts: ApiParts, id: string): Promise<unknown> {
  const { desk } = parts;
  const reply = readReply(await readJson(request, parts));
  if (!desk.isOpen) throw new HttpFault(404, 'Approvals are not answered here.');
  try {
    return { id, outcome: await desk.answer(id, reply) };
  } catch (thrown) {
    // The approval exists, but was already answered.
    const isOver = thrown instanceof ToolError && thrown.code === 'invalid_arguments' && thrown.field === 'id';
    throw isOver ? new HttpFault(409, thrown.message) : thrown;
  }
}

async function answerQuestion({ request }: Visit, parts: ApiParts, id: string): Promise<unknown> {
  const { action, content } = await readJson(request, parts);
  if (action !== 'accept' && action !== 'decline')
    throw new HttpFault(400, `action must be one of: accept, decline; got ${JSON.stringify(action) ?? 'nothing'}.`);
  if (content !== undefined && !isPlainObject(content)) throw new HttpFault(400, 'content must be an object.');
  if (!parts.questions.answer(id, { action, ...(content === undefined ? {} : { content }) }))
    throw new HttpFault(409, 'This question was already answered, or its call ended.');
  return { id, action };
}

const SCOPES = ['once', 'session', 'arguments', 'tool'] as const;

function readReply({ decision, reason, scope: wanted = 'once', args }: Record<string, unknown>): ApprovalReply {
  if (reason !== undefined && typeof reason !== 'string') throw new HttpFault(400, 'reason must be text.');
  if (decision === 'deny') return { allow: false, reason };
  if (decision !== 'allow')
    throw new HttpFault(400, `decision must be one of: allow, deny; got ${JSON.stringify(decision) ?? 'nothing'}.`);
  const scope = SCOPES.find((one) => one === wanted);
  if (scope === undefined) throw new HttpFault(400, `scope must be one of: ${SCOPES.join(', ')}.`);
  if (args !== undefined && !isPlainObject(args)) throw new HttpFault(400, 'args must be an object.');
  return { allow: true, scope, args };
}

function readLineScope(url: URL): 'arguments' | 'tool' {
  const scope = url.searchParams.get('scope');
  if (scope === 'arguments' || scope === 'tool') return scope;
  throw new HttpFault(400, 'scope must be one of: arguments, tool.');
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpFault(400, `"${part}" is not a valid name in an address.`);
  }
}
