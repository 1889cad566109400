import type { ElicitRequest, ElicitResult } from '../../../tool/calls/elicitation.ts';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { isObject, type JsonObject } from '../transports/transport.ts';
import type { PeerAnswer, RequestListener } from './rpc-peer.ts';

/** Requests of servers that Pegboard refuses, with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'The caller lends no model to sample from, or the board does not let this server use it.',
  'roots/list': 'Pegboard shares no folders of its user. Name them in the arguments.',
};

/** Answers a server's request: asks a person or model through the caller, lists folders, refuses everything else. */
export async function answerRequest(
  method: string,
  params: JsonObject,
  listener: RequestListener | undefined,
): Promise<PeerAnswer> {
  if (method === 'ping') return { type: 'result', result: {} };
  if (method === 'roots/list' && listener?.roots !== undefined)
    return { type: 'result', result: { roots: await listener.roots() } };
  if (method === 'sampling/createMessage' && listener?.sample !== undefined) return sample(listener.sample, params);
  if (method !== 'elicitation/create') {
    const refused = Object.hasOwn(REFUSED, method) ? REFUSED[method] : undefined;
    const message = refused ?? `Pegboard does not know the method ${JSON.stringify(method.slice(0, 100))}.`;
    return { type: 'error', code: ERROR_CODES.methodNotFound, message };
  }
  const request = readElicitation(params);
  if (request === undefined) {
    return {
      type: 'error',
      code: ERROR_CODES.invalidParams,
      message: 'elicitation/create needs a message, and a schema or an http(s) address without a user in it.',
    };
  }
  return { type: 'result', result: { ...(await ask(request, listener)) } };
}

/** Returns true when a caller can provide an input that a server requires. */
export function canAnswer(method: unknown, { roots, sample: ask }: RequestListener): boolean {
  if (method === 'sampling/createMessage') return ask !== undefined;
  return method === 'elicitation/create' || (method === 'roots/list' && roots !== undefined);
}

/** Returns the answer of the client's model; a refusal is an error for the server. */
async function sample(ask: NonNullable<RequestListener['sample']>, params: JsonObject): Promise<PeerAnswer> {
  const { _meta: _ours, ...request } = params;
  try {
    return { type: 'result', result: await ask(request) };
  } catch {
    return { type: 'error', code: -1, message: 'The caller of the tool did not let its model answer.' };
  }
}

async function ask(request: ElicitRequest, listener: RequestListener | undefined): Promise<ElicitResult> {
  if (listener?.elicit === undefined) return { action: 'decline' };
  try {
    const answer = await listener.elicit(request);
    if (answer.action !== 'accept') return { action: answer.action };
    if (request.mode === 'url') return { action: 'accept' };
    return { action: 'accept', content: { ...defaultsOf(request.requestedSchema), ...answer.content } };
  } catch {
    return { action: 'cancel' };
  }
}

function readElicitation(params: JsonObject): ElicitRequest | undefined {
  const { mode, message, requestedSchema, url, elicitationId } = params;
  if (typeof message !== 'string') return undefined;
  if (mode === 'url') {
    const address = readPageAddress(url);
    if (address === undefined) return undefined;
    return { mode, message, url: address.href, ...(typeof elicitationId === 'string' ? { elicitationId } : {}) };
  }
  return isObject(requestedSchema) ? { mode: 'form', message, requestedSchema } : undefined;
}

/** Returns the address of a page to which a person may be sent. */
export function readPageAddress(url: unknown): URL | undefined {
  const address = typeof url === 'string' ? URL.parse(url) : null;
  // "https://bank.example@other.example" is a page of other.example, and "javascript:" is none.
  const isPage = address !== null && /^https?:$/.test(address.protocol);
  return isPage && address.username === '' && address.password === '' ? address : undefined;
}

/** Returns the defaults of a form's fields, for fields that the person left unchanged. */
function defaultsOf(schema: JsonObject): Record<string, unknown> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isObject(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
    ),
  );
}
