import { messageValues } from '../../../protocol/json-rpc.ts';
import type { IncomingMessage } from 'node:http';
import { withClient } from '../../../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolContext } from '../../../../tool/tool-context.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import type { ToolResult } from '../../../../tool/tool-result.ts';
import type { Tool } from '../../../../tool/tool.ts';
import { awaitArrival } from '../../../../board/registry/absent-tools.ts';
import type { CallOptions } from '../../../../pipeline/call-options.ts';
import { checkOutput } from '../../call-result.ts';
import type { ToolView } from '../../tool-catalog.ts';
import { callerMetadata, toCallClient } from '../../caller.ts';
import { readClientApp } from '../../client-info.ts';
import { readJsonBody } from '../read-body.ts';
import type { Visit } from '../session-endpoint.ts';
import { toSessionId } from '../http-sessions.ts';
import { answerWaiting, type PlainKey, readKey } from './plain-approvals.ts';
import { type PlainAnswer, toPlainFailure, type PlainServices } from './plain-answer.ts';

interface CallServices extends PlainServices {
  /** Sends the answer of the work, or the error that it throws. */
  readonly answer: (work: () => Promise<PlainAnswer>) => Promise<void>;
}

/** Answers `POST /tools/NAME`: the body has the arguments, the answer is the result or a typed error. */
export function callPlainly(given: Visit, name: string, services: CallServices): void {
  // A request whose body was read counts as running, so that a stopping server waits for its call.
  const bounds = { bytes: services.maxBody(), values: messageValues(services.server.board.registry.executor) };
  readJsonBody(given, bounds, (body, visit) => {
    const running = services.begin();
    const { response } = visit;
    const release = visit.hold?.();
    // Hanging up cancels the request.
    const leave = (): void => running.cancellation.abort(new Error('The client hung up.'));
    response.once('close', leave);
    void services
      .answer(() => call(visit, { name, body, cancellation: running.cancellation }, services))
      .finally(() => {
        response.off('close', leave);
        running.end();
        release?.();
      });
  });
}

async function call(
  { request, caller }: Visit,
  {
    name,
    body,
    cancellation,
  }: { readonly name: string; readonly body: string } & Pick<ReturnType<PlainServices['begin']>, 'cancellation'>,
  { server, replica }: PlainServices,
): Promise<PlainAnswer> {
  const key = readKey(readText(request.headers['idempotency-key']), name, caller);
  const args = readArguments(body, name);
  const session = toSessionId(caller, request.socket, replica.id);
  const app = () => readClientApp({ name: request.headers['user-agent'] });
  const client = toCallClient(caller, session, { via: 'HTTP client', app });
  const options: CallOptions = {
    signal: cancellation,
    context: new ToolContext(withClient(callerMetadata(caller, session), client)),
    approval: { key: key.approval, defer: true },
    // A function that answers without a person, as `--yes` does, is asked at once.
    onWait: () => {},
    ...(key.idempotency === undefined ? {} : { idempotencyKey: key.idempotency }),
  };
  const { tool, result } = await execute(name, args, {
    options,
    view: () => server.methods.catalog.view(caller.access),
  });
  if (tool?.outputSchema === undefined || !result.ok) return toAnswer(result, name, key);
  const checked = checkOutput(tool, result);
  return toAnswer(checked.ok ? result : checked.result, name, key);
}

interface Execution {
  readonly options: CallOptions;
  /** Returns the board as the caller may use it now. */
  readonly view: () => ToolView;
}

/** Calls a tool of the caller's view. Waits for a server that may have it, then looks it up again with the current rights. */
async function execute(
  name: string,
  args: Readonly<Record<string, unknown>>,
  { options, view }: Execution,
): Promise<{ readonly tool: Tool | undefined; readonly result: ToolResult }> {
  const arrival = view().find(name) === undefined ? view().registry.absent?.arrival(name, 'retry') : undefined;
  const rest = arrival === undefined ? options : await awaitArrival(arrival, name, options);
  const now = view();
  const { registry } = now;
  const { executor } = registry;
  if (rest instanceof ToolError) return { tool: undefined, result: executor.refuse(rest, options) };
  const tool = now.find(name);
  // The message suggests only the caller's own tools.
  if (tool === undefined) return { tool, result: executor.refuse(registry.explainUnknown(name), rest) };
  return { tool, result: await executor.execute(tool, args, rest) };
}

function readArguments(body: string, name: string): Readonly<Record<string, unknown>> {
  const refuse = (what: string): ToolError => {
    const message = `The body is ${what}. Send a JSON object with the arguments of "${name}", or {}.`;
    return new ToolError({ code: 'invalid_arguments', message, toolName: name });
  };
  let args: unknown;
  try {
    args = JSON.parse(body === '' ? '{}' : body);
  } catch {
    throw refuse('no JSON');
  }
  if (!isPlainObject(args)) throw refuse(`JSON, but no object`);
  return args;
}

function toAnswer(result: ToolResult, name: string, key: PlainKey): PlainAnswer {
  const { meta, text, content } = result;
  const { callId, truncated, notices } = meta;
  if (!result.ok) {
    const { error } = result;
    const isWaiting =
      error.code === 'approval_required' && error.approvalId !== undefined && error.reason !== 'expired';
    if (isWaiting && error.approvalId !== undefined) return answerWaiting(error.approvalId, name, key);
    const { status, retryAfter } = toPlainFailure(error);
    return {
      status,
      ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
      body: { error: error.toJSON(), ...(callId === undefined ? {} : { callId }) },
    };
  }
  return {
    status: 200,
    body: {
      text,
      ...(result.data === undefined ? {} : { data: result.data }),
      ...(content === undefined ? {} : { content }),
      ...(truncated === undefined ? {} : { truncated }),
      ...(notices === undefined ? {} : { notices }),
      ...(callId === undefined ? {} : { callId }),
    },
  };
}

function readText(header: IncomingMessage['headers'][string]): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
