import { modernMeta } from './agree-on-era.ts';
import { answerRequest, canAnswer, readPageAddress } from './answer-request.ts';
import { withBoardAddresses } from './board-addresses.ts';
import { type FollowedTask, followTask } from './follow-task.ts';
import { readCallResult } from './read-call-result.ts';
import type { RequestListener, RequestOptions, RpcOutcome, RpcPeer } from './rpc-peer.ts';
import {
  type Agreement,
  isObject,
  type JsonObject,
  type RequestHeaders,
  type TransportFailure,
} from '../transports/transport.ts';
import { ERROR_CODES, type JsonRpcError } from '../../protocol/json-rpc.ts';
import { cleanMessage } from '../../../pipeline/to-tool-error.ts';
import type { Answers, LoginPage } from '../../../tool/calls/ask.ts';
import type { CallClient } from '../../../tool/calls/call-owner.ts';
import type { StartedRequest } from '../../../tool/calls/call-runtime.ts';
import type { CancelSignal } from '../../../tool/calls/cancellation.ts';
import { stripDeceiving, stripHidden } from '../../../tool/texts/reveal-hidden.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';

/** One call of a server's tool, and what its caller hears and answers meanwhile. */
export interface UpstreamCall extends RequestListener {
  /** The tool's name on its server. */
  readonly tool: string;
  readonly args: JsonObject;
  /** True when the server takes this call only as a task. In the newer revision the server decides. */
  readonly needsTask?: boolean;
  /** Headers of calls over HTTP. */
  readonly headers?: RequestHeaders | undefined;
  /** The client for which the call is made. */
  readonly client: CallClient;
  readonly signal: CancelSignal;
  /** Shows the user a page of the board; missing where the client opens none. */
  readonly openPage?: ((page: LoginPage) => Promise<Answers['login']>) | undefined;
  /** Notes that the server is asked; gives what it is told of the trace, and takes how it ended. */
  startRequest?(): StartedRequest | undefined;
  /** Returns the address of a server's resource on the board. */
  readonly addressOf?: ((uri: string) => string) | undefined;
  /** Waits for a place in a line, which does not count towards the call's time. */
  untimed<T>(work: Promise<T>): Promise<T>;
}

/** The way that a call takes to its server. */
interface CallRoute {
  readonly peer: RpcPeer;
  readonly server: Agreement;
  /** True when the server is reached over HTTP. */
  readonly isRemote: boolean;
  /** The task that runs the call already, where its session was lost. */
  readonly taskId: string | undefined;
}

/** The outcome of a call; a `failed` one never reached the tool, or lost it. */
export type ServerCallOutcome =
  | { readonly type: 'result'; readonly result: ToolResult }
  /** The headers were not those that the tool's schema asks for now. */
  | { readonly type: 'stale' }
  | {
      readonly type: 'failed';
      readonly failure: TransportFailure;
      /** The task that runs the call: it is asked for again, and the call never made again. */
      readonly taskId?: string | undefined;
    };

/** Times that a server may ask for further input. */
const MAX_ROUNDS = 10;
const ASKING = { elicitation: { form: {}, url: {} } };
const ROOTS = { roots: {} };
const SAMPLING = { sampling: {} };
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

/** Calls a tool, and gives the server what it asks for on the way, as the newer era does it. */
export async function callTool(call: UpstreamCall, route: CallRoute): Promise<ServerCallOutcome> {
  const noted = call.startRequest?.();
  let ended: ServerCallOutcome | undefined;
  try {
    const { peer, server, taskId } = route;
    if (taskId !== undefined) return (ended = await resumeTask(peer, taskId, call));
    const { signal } = call;
    const isTask = server.era !== 'modern' && call.needsTask === true;
    const options = { signal, listener: call, headers: route.isRemote ? call.headers : undefined };
    let round: JsonObject | undefined = isTask ? { task: {} } : undefined;
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const progressToken = peer.nextId;
      const _meta = metaOf(server, call, { progressToken, traceparent: noted?.traceparent });
      const first = { name: call.tool, arguments: call.args, _meta };
      const answer = await peer.request('tools/call', round === undefined ? first : { ...first, ...round }, options);
      const outcome = isTask ? await finishTask(peer, answer, { signal, listener: call, progressToken }) : answer;
      if (outcome.type === 'failed') return (ended = outcome);
      if (outcome.type === 'error') {
        if (outcome.error.code === ERROR_CODES.headerMismatch) return (ended = { type: 'stale' });
        throw toToolError(outcome.error);
      }
      if (outcome.result['resultType'] !== 'input_required')
        return (ended = { type: 'result', result: readResult(outcome.result, call) });
      round = { ...(isTask ? { task: {} } : {}), ...(await collectAnswers(outcome.result, call)) };
    }
    const message = `The server asked for further input ${MAX_ROUNDS} times without finishing.`;
    throw new ToolError({ code: 'execution_failed', message });
  } finally {
    noted?.end(nameEnd(ended));
  }
}

/** Names the outcome of a request for its record and its span. */
function nameEnd(ended: ServerCallOutcome | undefined): string {
  if (ended?.type !== 'result') return ended?.type ?? 'failed';
  return ended.result.ok ? 'ok' : ended.result.error.code;
}

/** A result whose links can be read through the board. */
function readResult(result: JsonObject, { addressOf }: UpstreamCall): ToolResult {
  return readCallResult(addressOf === undefined ? result : withBoardAddresses(result, addressOf));
}

/** Returns the metadata of a request for a caller. */
function metaOf(
  { era, version }: Agreement,
  listener: RequestListener,
  { progressToken, traceparent }: { readonly progressToken: number; readonly traceparent?: string | undefined },
): JsonObject {
  if (era === 'legacy') return traceparent === undefined ? { progressToken } : { progressToken, traceparent };
  const { logLevel } = listener;
  return {
    ...modernMeta(version, capabilitiesOf(listener)),
    ...(logLevel === undefined ? {} : { [LOG_LEVEL]: logLevel }),
    progressToken,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Returns a caller's capabilities for the server. */
function capabilitiesOf({ elicit, roots, sample }: RequestListener): JsonObject {
  return {
    ...(elicit === undefined ? {} : ASKING),
    ...(roots === undefined ? {} : ROOTS),
    ...(sample === undefined ? {} : SAMPLING),
  };
}

/** Collects the parameters of the next attempt: an answer to each question, and the server's state as it was. */
async function collectAnswers(result: JsonObject, listener: RequestListener): Promise<JsonObject> {
  const { inputRequests, requestState } = result;
  const asked = Object.entries(isObject(inputRequests) ? inputRequests : {});
  const answers: [string, unknown][] = [];
  for (const [key, request] of asked) {
    const { method, params } = isObject(request) ? request : {};
    const answer = canAnswer(method, listener)
      ? await answerRequest(String(method), isObject(params) ? params : {}, listener)
      : undefined;
    if (answer?.type !== 'result') {
      const message = `The server wants ${JSON.stringify(method)} before it goes on, which Pegboard cannot give it.`;
      throw new ToolError({ code: 'execution_failed', message });
    }
    answers.push([key, answer.result]);
  }
  return {
    ...(asked.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(typeof requestState === 'string' ? { requestState } : {}),
  };
}

/** Codes about the way between board and server: to a client of the board they would say something else. */
const HOP_CODES: ReadonlySet<number> = new Set([
  ERROR_CODES.parseError,
  ERROR_CODES.methodNotFound,
  ERROR_CODES.headerMismatch,
  ERROR_CODES.unsupportedVersion,
]);

/** An error of the server as a failure of the call. */
function toToolError(given: JsonRpcError): ToolError {
  const { code } = given;
  const message = stripDeceiving(cleanMessage(given.message));
  const data = code === ERROR_CODES.urlElicitationRequired ? readPages(given.data) : readData(given.data);
  if (code === ERROR_CODES.urlElicitationRequired && data === undefined) {
    const unsafe =
      'The server wants a page opened whose address is not http(s), or has a user in it. It is not passed on.';
    return new ToolError({ code: 'execution_failed', message: unsafe });
  }
  const protocol = HOP_CODES.has(code) ? undefined : { code, message, ...(data === undefined ? {} : { data }) };
  if (code === ERROR_CODES.invalidParams) return new ToolError({ code: 'invalid_arguments', message, protocol });
  const needed =
    code === ERROR_CODES.missingClientCapability && isObject(data) ? data['requiredCapabilities'] : undefined;
  const hint = isObject(needed) ? ` It needs a caller with: ${Object.keys(needed).join(', ')}.` : '';
  const told = `The server answered error ${code}: ${message.replace(/\.$/, '')}.${hint}`;
  return new ToolError({ code: 'execution_failed', message: told, protocol });
}

/** Characters of the data of an error; what has more is no remark on it. */
const MAX_DATA = 1024 * 1024;

function readData(data: unknown): unknown {
  return data !== undefined && JSON.stringify(data).length > MAX_DATA ? undefined : data;
}

/** The pages that a person has to open first, in words that do not deceive; nothing when one of them may not be opened. */
function readPages(data: unknown): JsonObject | undefined {
  const asked = isObject(data) ? data['elicitations'] : undefined;
  if (!isObject(data) || !Array.isArray(asked)) return undefined;
  const elicitations = asked.flatMap((item) => {
    const { url, message } = isObject(item) ? item : {};
    if (readPageAddress(url) === undefined || stripHidden(String(url)) !== url) return [];
    return [typeof message === 'string' ? { ...item, message: stripDeceiving(message) } : item];
  });
  return elicitations.length === asked.length ? { ...data, elicitations } : undefined;
}

/** Waits for what a call made as a task comes to. A server that answered at once, without a task, is done. */
async function finishTask(peer: RpcPeer, created: RpcOutcome, options: TaskOptions): Promise<TaskOutcome> {
  const task = created.type === 'result' ? created.result['task'] : undefined;
  const taskId = isObject(task) ? task['taskId'] : undefined;
  if (!isObject(task) || typeof taskId !== 'string') return created;
  return waitForTask(
    peer,
    { taskId, pollInterval: task['pollInterval'], statusMessage: task['statusMessage'] },
    options,
  );
}

type TaskOutcome = RpcOutcome & { readonly taskId?: string };

interface TaskOptions extends RequestOptions {
  readonly listener: RequestListener;
  /** The token of the call's progress. */
  readonly progressToken?: number;
}

async function waitForTask(
  peer: RpcPeer,
  task: FollowedTask,
  { progressToken, ...options }: TaskOptions,
): Promise<TaskOutcome> {
  const { taskId } = task;
  const unfollow = followTask(peer, { ...task, progressToken }, options.listener);
  try {
    // Held back until the task is over, and the way on which the server asks for input meanwhile.
    const outcome = await peer.request('tasks/result', { taskId }, options);
    return outcome.type === 'failed' ? { ...outcome, taskId } : outcome;
  } catch (reason) {
    // The caller gave up; whether the server heard of it changes nothing.
    peer.request('tasks/cancel', { taskId }).catch(() => undefined);
    throw reason;
  } finally {
    unfollow();
  }
}

/** Asks in a new session for what a task came to. A server that forgot the task with the session is told as that. */
async function resumeTask(peer: RpcPeer, taskId: string, call: UpstreamCall): Promise<ServerCallOutcome> {
  const outcome = await waitForTask(peer, { taskId }, { signal: call.signal, listener: call });
  if (outcome.type === 'failed') return outcome;
  if (outcome.type === 'result') return { type: 'result', result: readResult(outcome.result, call) };
  const message = `it has forgotten the session, and the task that ran the call with it (${outcome.error.message}). Whether the call was done is not known`;
  return { type: 'failed', failure: { kind: 'unavailable', message } };
}

/** A request other than a call of a tool: `prompts/get`, `resources/read`, `completion/complete`. */
export interface ServerRequestBody {
  readonly method: string;
  readonly params: JsonObject;
}

/** The outcome of a request; a `failed` one never reached the server, or lost it. */
export type ServerRequestOutcome =
  | { readonly type: 'result'; readonly result: JsonObject }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/** Sends a request for a caller, and gives the server what it asks for on the way. Throws a `ToolError` for an error of the server. */
export async function sendRequest(
  call: UpstreamCall,
  { method, params }: ServerRequestBody,
  { peer, server }: { readonly peer: RpcPeer; readonly server: Agreement },
): Promise<ServerRequestOutcome> {
  const { signal } = call;
  let round: JsonObject = {};
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const progressToken = peer.nextId;
    const _meta = metaOf(server, call, { progressToken });
    const outcome = await peer.request(method, { ...params, ...round, _meta }, { signal, listener: call });
    if (outcome.type === 'failed') return outcome;
    if (outcome.type === 'error') throw toToolError(outcome.error);
    if (outcome.result['resultType'] !== 'input_required') return { type: 'result', result: outcome.result };
    round = await collectAnswers(outcome.result, call);
  }
  const message = `The server asked for further input ${MAX_ROUNDS} times without finishing.`;
  throw new ToolError({ code: 'execution_failed', message });
}
