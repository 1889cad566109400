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

/** One call of a server's tool, with the caller's listeners and answers. */
export interface UpstreamCall extends RequestListener {
  readonly tool: string;
  readonly args: JsonObject;
  /** True when the server runs this call only as a task. Stateless servers decide themselves. */
  readonly needsTask?: boolean;
  readonly headers?: RequestHeaders | undefined;
  readonly client: CallClient;
  readonly signal: CancelSignal;
  /** Shows the user a page of the board; `undefined` if the client opens none. */
  readonly openPage?: ((page: LoginPage) => Promise<Answers['login']>) | undefined;
  /** Records the request; returns its trace context and a function for its end. */
  startRequest?(): StartedRequest | undefined;
  readonly addressOf?: ((uri: string) => string) | undefined;
  /** Waits without counting toward the call's timeout. */
  untimed<T>(work: Promise<T>): Promise<T>;
}

interface CallRoute {
  readonly peer: RpcPeer;
  readonly server: Agreement;
  /** True for servers over HTTP. */
  readonly isRemote: boolean;
  /** The task that already runs the call, if an earlier session was lost. */
  readonly taskId: string | undefined;
}

/** The outcome of a call. A `failed` one never reached the tool, or the connection was lost. */
export type ServerCallOutcome =
  | { readonly type: 'result'; readonly result: ToolResult }
  /** The headers did not match the tool's current schema. */
  | { readonly type: 'stale' }
  | {
      readonly type: 'failed';
      readonly failure: TransportFailure;
      /** The task that already runs the call, if an earlier session was lost. */
      readonly taskId?: string | undefined;
    };

/** The most times that a server may request further input for one call. */
const MAX_ROUNDS = 10;
const ASKING = { elicitation: { form: {}, url: {} } };
const ROOTS = { roots: {} };
const SAMPLING = { sampling: {} };
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

/** Calls a tool, and answers the server's requests for input on the way. */
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

/** Returns the name of an outcome for records and spans. */
function nameEnd(ended: ServerCallOutcome | undefined): string {
  if (ended?.type !== 'result') return ended?.type ?? 'failed';
  return ended.result.ok ? 'ok' : ended.result.error.code;
}

/** Reads a result; its links lead to the board. */
function readResult(result: JsonObject, { addressOf }: UpstreamCall): ToolResult {
  return readCallResult(addressOf === undefined ? result : withBoardAddresses(result, addressOf));
}

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

function capabilitiesOf({ elicit, roots, sample }: RequestListener): JsonObject {
  return {
    ...(elicit === undefined ? {} : ASKING),
    ...(roots === undefined ? {} : ROOTS),
    ...(sample === undefined ? {} : SAMPLING),
  };
}

/** Collects the parameters of the next attempt: an answer to each question, and the server's state unchanged. */
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

/** Codes about the connection between board and server: a client of the board would misread them. */
const HOP_CODES: ReadonlySet<number> = new Set([
  ERROR_CODES.parseError,
  ERROR_CODES.methodNotFound,
  ERROR_CODES.headerMismatch,
  ERROR_CODES.unsupportedVersion,
]);

/** Converts a server's error to a failure of the call. */
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
  const text = `The server answered error ${code}: ${message.replace(/\.$/, '')}.${hint}`;
  return new ToolError({ code: 'execution_failed', message: text, protocol });
}

/** The most characters of an error's data; more is dropped. */
const MAX_DATA = 1024 * 1024;

function readData(data: unknown): unknown {
  return data !== undefined && JSON.stringify(data).length > MAX_DATA ? undefined : data;
}

/** Returns the pages that a person must open first, without deceptive characters; `undefined` if one of them may not be opened. */
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

/** Waits for the result of a task. A server that answered without a task is done. */
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
    // The server answers when the task ends, and sends its questions on this stream meanwhile.
    const outcome = await peer.request('tasks/result', { taskId }, options);
    return outcome.type === 'failed' ? { ...outcome, taskId } : outcome;
  } catch (reason) {
    // The caller gave up; a failed cancellation changes nothing.
    peer.request('tasks/cancel', { taskId }).catch(() => undefined);
    throw reason;
  } finally {
    unfollow();
  }
}

/** Requests the result of a task in a new session. Reports a server that has lost the task. */
async function resumeTask(peer: RpcPeer, taskId: string, call: UpstreamCall): Promise<ServerCallOutcome> {
  const outcome = await waitForTask(peer, { taskId }, { signal: call.signal, listener: call });
  if (outcome.type === 'failed') return outcome;
  if (outcome.type === 'result') return { type: 'result', result: readResult(outcome.result, call) };
  const message = `it has forgotten the session, and the task that ran the call with it (${outcome.error.message}). Whether the call was done is not known`;
  return { type: 'failed', failure: { kind: 'unavailable', message } };
}

/** A request other than `tools/call`: `prompts/get`, `resources/read`, `completion/complete`. */
export interface ServerRequestBody {
  readonly method: string;
  readonly params: JsonObject;
}

/** The outcome of a request. A `failed` one never reached the server, or the connection was lost. */
export type ServerRequestOutcome =
  | { readonly type: 'result'; readonly result: JsonObject }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/** Sends a request for a caller, and answers the server's requests for input on the way. Throws a `ToolError` for an error of the server. */
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
