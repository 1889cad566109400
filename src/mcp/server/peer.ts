import { createHash, randomUUID } from 'node:crypto';
import { type ClientRoot, LOG_LEVEL_KEY, putClient } from '../../tool/calls/call-owner.ts';
import type { AskedPerson, ElicitResult, LentModel } from '../../tool/calls/elicitation.ts';
import { frameQuestion } from '../../tool/texts/frame-question.ts';
import { isPlainObject } from '../../tool/json.ts';
import { AskedByRetry } from '../../guard/approval/refusals.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ERROR_CODES, type JsonRpcParams, RequestError } from '../protocol/json-rpc.ts';
import { callerMetadata, toCallClient } from './caller.ts';
import { clientAppOf, clientSpanOf } from './client-info.ts';
import type { Connection } from './connection.ts';
import type { RequestScope } from './request-scope.ts';
import { readInputResponses, type RequestState, type RequestStates } from './request-state.ts';

/** The requests that a server can send to a client. */
export type InputMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A question for the client: for its user, its model or its folders. */
export interface InputRequest {
  readonly method: InputMethod;
  readonly params?: JsonRpcParams;
}

/** Options of a question. */
export interface AskOptions {
  /** Accepts only answers to a question that was asked, and each once: for answers that must not be invented or reused. */
  readonly once?: boolean;
  /** Withdraws the question: another approver has answered. */
  readonly signal?: AbortSignal | undefined;
}

/** The client of a call, for tools that ask it something. */
export interface McpPeer {
  /** Returns true when the client has declared this capability. */
  can(method: InputMethod): boolean;
  /** True when the client opens pages for its user (elicitation of mode `url`). Default: false. */
  readonly opensPages?: boolean;
  /**
   * Asks the client and returns its answers under the same keys.
   *
   * With the stateless revision the tool runs again from the start once there are answers, so ask before you act.
   */
  ask(
    requests: Readonly<Record<string, InputRequest>>,
    options?: AskOptions,
  ): Promise<Readonly<Record<string, Record<string, unknown>>>>;
}

/** The reason why a request ended without its result. */
export type Interruption =
  | { readonly type: 'input'; readonly requests: Readonly<Record<string, InputRequest>> }
  | { readonly type: 'refused'; readonly error: RequestError };

const CAPABILITY: Readonly<Record<InputMethod, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

const PEER_KEY = 'pegboard.mcp.peer';

/** Returns the client of a call; `undefined` for calls without an MCP client. */
export function peerOf(context: ToolContext): McpPeer | undefined {
  return context.getMeta<McpPeer | undefined>(PEER_KEY, undefined);
}

/** Returns true when a question ends the request, which the client then repeats with the answers. */
export function isAskedByRetry(context: ToolContext): boolean {
  return asksByRetry(peerOf(context));
}

function asksByRetry(peer: McpPeer | undefined): boolean {
  return peer instanceof Peer && peer.asksByRetry;
}

/** Returns metadata that connects a call to its client, with its person and model, under `sessionId` and `caller`. */
export function withPeer(
  peer: McpPeer,
  connection: Pick<Connection, 'sessionId' | 'ended' | 'caller' | 'roots'>,
  scope?: RequestScope,
): Readonly<Record<string, unknown>> {
  const { sessionId, ended, caller } = connection;
  const { id, isAnonymous } = caller;
  const metadata = callerMetadata(caller, sessionId);
  metadata[PEER_KEY] = peer;
  const roots = peer.can('roots/list')
    ? { isLocal: id === '' && isAnonymous !== true, list: () => listRoots(peer, connection.roots) }
    : undefined;
  if (peer instanceof Peer && peer.logLevel !== undefined) metadata[LOG_LEVEL_KEY] = peer.logLevel;
  // Read only when a record or span is written.
  const app = scope && (() => clientAppOf(scope));
  const span = scope && (() => clientSpanOf(scope));
  // An answer that arrives with a repeated request is for one call: each call is asked separately.
  const answerer = asksByRetry(peer) ? peer : connection;
  const [person, model] = [personOf(peer, answerer), modelOf(peer, answerer)];
  putClient(metadata, toCallClient(caller, sessionId, { via: 'MCP client', ended, roots, app, span, person, model }));
  return metadata;
}

/** Returns the person at a client; `undefined` if the client asks no one. */
function personOf(peer: McpPeer, answerer: object): AskedPerson | undefined {
  const opensPages = peer.opensPages === true;
  const showsForms = peer.can('elicitation/create');
  if (!showsForms && !opensPages) return undefined;
  const nextKey = namer('elicit');
  return {
    opensPages,
    answerer,
    async elicit(request, call) {
      if (request.mode === 'form' ? !showsForms : !opensPages) return { action: 'cancel' };
      const key = nextKey(call.key);
      const framed = frameQuestion(request, call);
      const { [key]: answer } = await peer.ask({
        [key]: { method: 'elicitation/create', params: { ...framed.request } },
      });
      return framed.restore(readAnswer(answer));
    },
  };
}

/** Returns the model that a client offers. */
function modelOf(peer: McpPeer, answerer: object): LentModel | undefined {
  if (!peer.can('sampling/createMessage')) return undefined;
  const nextKey = namer('sample');
  return {
    answerer,
    async sample(request, call) {
      const key = nextKey(call.key);
      const { [key]: answer = {} } = await peer.ask({ [key]: { method: 'sampling/createMessage', params: request } });
      return answer;
    },
  };
}

const MAX_ROOTS = 1_000;

/** Lists the folders of a client. A client that announces changes is asked once for each. */
async function listRoots(peer: McpPeer, kept: Connection['roots']): Promise<readonly ClientRoot[]> {
  if (asksByRetry(peer)) return readRoots(await peer.ask(ROOTS_REQUEST));
  if (kept.list !== undefined) return kept.list;
  const { version } = kept;
  try {
    const list = readRoots(await peer.ask(ROOTS_REQUEST));
    if (kept.announcesChanges && kept.version === version) kept.list = list;
    return list;
  } catch {
    // A client that cannot list its folders has none.
    return [];
  }
}

const ROOTS_REQUEST = { roots: { method: 'roots/list' } } as const;

function readRoots({ roots: answer }: Awaited<ReturnType<McpPeer['ask']>>): ClientRoot[] {
  const listed: unknown = answer?.['roots'];
  return (Array.isArray(listed) ? listed.slice(0, MAX_ROOTS) : []).flatMap((root: unknown): ClientRoot[] => {
    const { uri, name } = isPlainObject(root) ? root : {};
    if (typeof uri !== 'string' || !uri.startsWith('file://')) return [];
    return [{ uri, ...(typeof name === 'string' ? { name } : {}) }];
  });
}

function readAnswer(answer: Record<string, unknown> = {}): ElicitResult {
  const { action, content } = answer;
  if (action !== 'accept') return { action: action === 'decline' ? 'decline' : 'cancel' };
  return isPlainObject(content) ? { action, content } : { action };
}

/** Removes secrets from questions to a client. */
interface QuestionRedactor {
  redact(value: unknown): unknown;
}

interface PeerParts {
  readonly states: RequestStates;
  readonly redactor: QuestionRedactor;
  /** The state that the client returned with the answers to a question. */
  readonly state: RequestState | undefined;
}

/** Verifies the state that a client returned; `undefined` if there is none. Rejects with `invalid params`. */
export function openState(scope: RequestScope, states: RequestStates): Promise<RequestState> | undefined {
  const { requestState } = scope.params;
  if (scope.era === 'legacy' || requestState === undefined) return undefined;
  return states.open(requestState, { digest: digestOf(scope), caller: scope.connection.caller.id });
}

/** Asks the client in the way of its era. */
export class Peer implements McpPeer {
  readonly #scope: RequestScope;
  readonly #states: RequestStates;
  readonly #redactor: QuestionRedactor;
  #state: RequestState | undefined;
  #requestId: string | undefined;
  #answers: Readonly<Record<string, unknown>> | undefined;
  #interruption: Interruption | undefined;
  /** True after this request has used its state. */
  #isSpent = false;
  /** Redirects questions: a task waits for the answers. */
  redirect: McpPeer['ask'] | undefined;
  /** True when the client is asked nothing, because its call could not continue with the answer. */
  isMute = false;

  /** `state`: the result of `openState` for this request. */
  constructor(scope: RequestScope, { states, redactor, state }: PeerParts) {
    this.#redactor = redactor;
    this.#scope = scope;
    this.#states = states;
    const { requestState, inputResponses } = scope.params;
    if (scope.era === 'legacy' || (requestState === undefined && inputResponses === undefined)) return;
    this.#state = state;
    this.#answers = { ...this.#state?.answers, ...readInputResponses(inputResponses) };
  }

  /** Identifies this request with all its rounds. */
  get requestId(): string {
    return (this.#requestId ??= this.#state?.id ?? randomUUID());
  }

  get logLevel(): string | undefined {
    return this.#scope.logLevel;
  }

  /** True when a question ends the request, which the client then repeats with the answers. */
  get asksByRetry(): boolean {
    return this.#scope.era === 'modern' && this.redirect === undefined;
  }

  /** The question that replaces the result. */
  get interruption(): Interruption | undefined {
    return this.#interruption;
  }

  can(method: InputMethod): boolean {
    if (this.isMute) return false;
    const capability = this.#scope.capabilities[CAPABILITY[method]];
    if (!isPlainObject(capability)) return false;
    // A client that names no way of asking its user shows forms.
    return method !== 'elicitation/create' || 'form' in capability || !('url' in capability);
  }

  async ask(given: Readonly<Record<string, InputRequest>>, options: AskOptions = {}): ReturnType<McpPeer['ask']> {
    // Only texts change; keys stay.
    const requests = Object.fromEntries(
      Object.entries(given).map(([key, request]) => [key, this.#redactor.redact(request) as InputRequest]),
    );
    const missing = Object.values(requests).find((request) => !this.#canAnswer(request));
    if (missing !== undefined) throw this.#refuse(missing.method);
    if (this.redirect !== undefined) return this.redirect(requests, options);
    return this.#scope.era === 'legacy' ? this.#askNow(requests, options) : this.#askByRetry(requests, options);
  }

  get opensPages(): boolean {
    const capability = this.#scope.capabilities['elicitation'];
    return !this.isMute && isPlainObject(capability) && 'url' in capability;
  }

  /** Returns true when the client answers this question: some show forms and open no pages, or vice versa. */
  #canAnswer({ method, params }: InputRequest): boolean {
    if (method !== 'elicitation/create' || params?.['mode'] !== 'url') return this.can(method);
    return this.opensPages;
  }

  async #askNow(requests: Readonly<Record<string, InputRequest>>, options: AskOptions): ReturnType<McpPeer['ask']> {
    const { connection } = this.#scope;
    const signal =
      options.signal === undefined ? this.#scope.signal : AbortSignal.any([this.#scope.signal, options.signal]);
    const asked = Object.entries(requests).map(async ([key, { method, params = {} }]) => {
      const answer = await connection.ask((text) => this.#scope.send(text), { method, params }, signal);
      return [key, isPlainObject(answer) ? answer : {}] as const;
    });
    return Object.fromEntries(await Promise.all(asked));
  }

  async #askByRetry(
    requests: Readonly<Record<string, InputRequest>>,
    { once }: AskOptions,
  ): Promise<Record<string, never>> {
    const state = this.#state;
    const isKnown = (key: string): boolean =>
      this.#answers !== undefined && Object.hasOwn(this.#answers, key) && (once !== true || this.#wasAsked(key));
    const keys = Object.keys(requests);
    const open = keys.filter((key) => !isKnown(key));
    if (open.length > 0) {
      const asked = Object.fromEntries(Object.entries(requests).filter(([key]) => open.includes(key)));
      // The key signs the state that the client will return.
      await this.#states.load();
      this.#interruption = { type: 'input', requests: asked };
      throw new AskedByRetry();
    }
    if (once === true && state !== undefined && !this.#isSpent) {
      this.#isSpent = true;
      try {
        await this.#states.spend(state);
      } catch (error) {
        if (error instanceof RequestError) this.#interruption = { type: 'refused', error };
        throw error;
      }
    }
    // Each answer was checked to be an object on arrival.
    return Object.fromEntries(keys.map((key) => [key, this.#answers?.[key]])) as Record<string, never>;
  }

  /** Returns the result that asks the client for input. */
  toInputRequired(requests: Readonly<Record<string, InputRequest>>): Readonly<Record<string, unknown>> {
    const known = Object.entries(this.#answers ?? {}).filter(([key]) => this.#wasAsked(key));
    const requestState = this.#states.seal({
      digest: digestOf(this.#scope),
      caller: this.#scope.connection.caller.id,
      answers: Object.fromEntries(known),
      asked: Object.keys(requests),
      id: this.requestId,
    });
    return { resultType: 'input_required', inputRequests: requests, requestState };
  }

  /** Returns true when an answer belongs to a question of this server, and was not invented by the client. */
  #wasAsked(key: string): boolean {
    const state = this.#state;
    return state !== undefined && (state.asked.includes(key) || Object.hasOwn(state.answers, key));
  }

  #refuse(method: InputMethod): Error {
    const capability = CAPABILITY[method];
    const message = `This needs a client that can do "${capability}", and this one did not say it can.`;
    if (this.#scope.era === 'legacy') return new Error(message);
    const error = new RequestError(ERROR_CODES.missingClientCapability, message, {
      requiredCapabilities: { [capability]: {} },
    });
    this.#interruption = { type: 'refused', error };
    return error;
  }
}

/**
 * Names questions: a question has the same name when the call runs again with the answers. Calls of a program have keys, because earlier
 * ones do not run again.
 */
function namer(kind: string): (key: string | undefined) => string {
  const counts = new Map<string, number>();
  return (key = '') => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (key === '') return `${kind}-${count}`;
    const hash = createHash('sha256').update(key).digest('base64url').slice(0, 16);
    return `${kind}-${hash}-${count}`;
  };
}

/** Identifies a request: its answers are not valid for another. */
function digestOf({ method, params }: RequestScope): string {
  const { name, uri, arguments: args } = params;
  return createHash('sha256')
    .update(JSON.stringify([method, name ?? uri, args ?? {}]))
    .digest('base64url');
}
