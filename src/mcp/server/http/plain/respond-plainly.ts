import { toOutputOwner } from '../../../../tool/calls/call-owner.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import type { OutputStore } from '../../../../platform/outputs/output-store.ts';
import type { Caller } from '../../caller.ts';
import { type ExtraHeaders, respondError, respondJson } from '../respond.ts';
import type { Visit } from '../session-endpoint.ts';
import { callPlainly } from './call-plainly.ts';
import { describeOpenApi } from './describe-open-api.ts';
import { readApproval, withdrawApproval } from './plain-approvals.ts';
import { PLAIN_PATHS, type PlainAnswer, toPlainFailure, type PlainServices } from './plain-answer.ts';

/** Answers are for their caller only. */
const PRIVATE: ExtraHeaders = { 'cache-control': 'no-store' };

/** Answers a request of a program without MCP: a call, the document of its tools, a waiting question, an output. */
export async function respondPlainly(visit: Visit, services: PlainServices): Promise<void> {
  const { request, response } = visit;
  const { server } = services;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const { redactor } = server.board.registry.executor;
  const send = ({ status, body, headers }: PlainAnswer): void => {
    if (body === undefined) return void response.writeHead(status, { ...PRIVATE, ...headers }).end();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    respondJson(response, text, { status, headers: { ...PRIVATE, ...headers } });
  };
  const answer = async (work: () => Promise<PlainAnswer>): Promise<void> => {
    try {
      send(await work());
    } catch (error) {
      if (error instanceof ToolError) {
        send({ status: toPlainFailure(error).status, body: { error: error.toJSON() } });
        return;
      }
      respondError(response, 503, { message: redactor.text(`This cannot be answered now: ${messageOf(error)}`) });
    }
  };
  const { method = 'GET' } = request;
  const refuseMethod = (allow: string): void =>
    respondError(response, 405, { message: `${method} is not for this address. Use ${allow}.`, headers: { allow } });
  const { tools, document, approvals } = PLAIN_PATHS;
  if (pathname === document) {
    if (method !== 'GET') return refuseMethod('GET');
    return answer(async () => ({ status: 200, body: describeOpenApi(server, visit.caller, services.needsToken()) }));
  }
  if (pathname.startsWith(tools)) {
    if (method !== 'POST') return refuseMethod('POST');
    return callPlainly(visit, decode(pathname.slice(tools.length)), { ...services, answer });
  }
  if (pathname.startsWith(approvals)) {
    const id = decode(pathname.slice(approvals.length));
    if (method === 'GET') return answer(() => readApproval(id, visit.caller, server));
    if (method === 'DELETE') return answer(() => withdrawApproval(id, visit.caller, server));
    return refuseMethod('GET, DELETE');
  }
  if (method !== 'GET') return refuseMethod('GET');
  return answer(() =>
    readOutput(decode(pathname.slice(PLAIN_PATHS.outputs.length)), searchParams, {
      caller: visit.caller,
      outputs: server.board.outputs,
    }),
  );
}

const MOST_LINES = 10_000;

interface OutputReader {
  readonly caller: Caller;
  readonly outputs: OutputStore | undefined;
}

/** Returns lines of an output that was too large to return, for the caller of its call. */
async function readOutput(
  id: string,
  parameters: URLSearchParams,
  { caller, outputs }: OutputReader,
): Promise<PlainAnswer> {
  const own = caller.id === '' ? outputs : outputs?.of(toOutputOwner(caller.id, caller.access.key));
  const message = `You have no output "${id}", or no longer: outputs are kept for a while.`;
  if (own === undefined) throw new ToolError({ code: 'not_found', message });
  const offset = readCount(parameters, 'offset', { least: -(2 ** 31), most: 2 ** 31, fallback: 0 });
  const lines = readCount(parameters, 'lines', { least: 1, most: MOST_LINES, fallback: 200 });
  return { status: 200, body: { id, ...(await own.read(id, { offset, lines })) } };
}

function readCount(
  parameters: URLSearchParams,
  name: string,
  { least, most, fallback }: { readonly least: number; readonly most: number; readonly fallback: number },
): number {
  const given = parameters.get(name);
  const count = given === null ? fallback : Number(given);
  if (Number.isInteger(count) && count >= least && count <= most) return count;
  const message = `${name} is a whole number from ${least} to ${most}; got "${given}".`;
  throw new ToolError({ code: 'invalid_arguments', message, field: name });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
