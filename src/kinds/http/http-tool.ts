import type { StartedRequest } from '../../tool/calls/call-requests.ts';
import { refusingFirst, type SureRefusal } from '../../tool/calls/sure-refusal.ts';
import { startRequest } from '../../tool/calls/start-request.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { type CompiledRequest, compileRequest } from '../../platform/http/template/compile-request.ts';
import type { TemplateArguments } from '../../platform/http/template/fill-template.ts';
import type { EntryStyle } from '../../platform/http/template/entry-styles.ts';
import { parseBody } from '../../platform/http/decode-body.ts';
import type { HttpBody, HttpOutcome, HttpRequest } from '../../platform/http/http-messages.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import type { EntryFault, KindHost, ToolEntry } from '../kind.ts';
import type { ApiAuth } from './auth/api-auth.ts';
import { createRequestAuth } from './auth/create-request-auth.ts';
import { outputsFor } from '../../platform/outputs/outputs-for.ts';
import { listenFor } from './extras/event-stream.ts';
import { graphqlResult } from './extras/graphql-result.ts';
import { toResult } from './http-result.ts';
import { createPageLinks } from './extras/page-links.ts';
import { paginate } from './extras/paginate.ts';
import { withParts } from './extras/upload.ts';
import type { RequestExtras } from './extras/request-extras.ts';

/** Default retries of a request that only reads. */
const RETRIES = 2;
/** Default for the most bytes of images and files in a result. */
const MAX_MEDIA = 10_485_760;

/** The longest time in milliseconds that a server may send events. */
const MAX_STREAM = 24 * 60 * 60 * 1000;
/** The most bytes of JSON that are parsed for selection. */
const MAX_JSON = 4 * 1024 * 1024;

/** A request with templates. */
export interface RequestSettings extends RequestExtras {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly form: Readonly<Record<string, string>> | undefined;
  /** The notation of lists and objects in the query and in a form, by entry name. */
  readonly styles: Readonly<Record<string, EntryStyle>>;
  /** Its credentials; none if it goes to another host than they are for. */
  readonly auth: ApiAuth | undefined;
}

/** Requests with templates. */
export interface HttpSettings {
  readonly schema: JsonSchema;
  readonly requests: readonly RequestSettings[];
  readonly redirects: 'same-origin' | 'any' | 'none';
  readonly allowHosts: readonly string[];
  /** The header for the idempotency key of a call. */
  readonly idempotencyHeader: string | undefined;
  /** The folder that must contain files to send. Default: the working directory of the board. */
  readonly uploadFrom: string | undefined;
  /** The schema of a result's data. */
  readonly outputSchema: JsonSchema | undefined;
  /** The file's credentials for all tools, unless the tool has its own. */
  readonly fileAuth: ApiAuth | undefined;
}

/** An entry with `type: http`. */
export type HttpEntry = ToolEntry<HttpSettings>;

/** A compiled request with the handling of its response. */
interface HttpStep extends CompiledRequest {
  readonly settings: RequestSettings;
}

/** Compiles the requests of an entry, and collects their faults. */
export function compileHttp(settings: HttpSettings): { requests: HttpStep[]; faults: EntryFault[] } {
  const requests: HttpStep[] = [];
  const faults: EntryFault[] = [];
  const schema = toInputSchema(settings);
  for (const [index, written] of settings.requests.entries()) {
    const { form, styles, auth: _, ...definition } = addPageParam(written);
    const { graphql, multipart, paginate: pages } = definition;
    const report = (path: EntryFault['path'], message: string): void =>
      void faults.push({ path: ['requests', index, ...path], message });
    if (graphql !== undefined && (form !== undefined || definition.body !== undefined || definition.method !== 'POST'))
      report(['graphql'], 'is sent as the body of a POST. Leave out body and form, and any other method.');
    if (multipart !== undefined && [form, definition.body, graphql, pages, headerOf(definition.headers)].some(isGiven))
      report(['multipart'], 'is the whole body. Leave out body, form, graphql, paginate and the header Content-Type.');
    if (multipart !== undefined && /^(?:GET|HEAD)$/.test(definition.method))
      report(['method'], 'must be POST, PUT or PATCH: a GET has no body.');
    if (pages !== undefined && definition.stream !== undefined)
      report(['stream'], 'cannot be combined with paginate: events have no pages.');
    if (pages?.type === 'cursor' && pages.next === undefined)
      report(['paginate'], 'needs next: where the cursor of the next page is in an answer, such as meta.next_cursor.');
    const headers = form === undefined ? definition.headers : withForm(definition.headers);
    const compiled = compileRequest({ ...definition, headers, body: form ?? definition.body }, { schema, styles });
    if (compiled.ok) requests.push({ ...compiled.request, settings: written });
    else for (const { path, message } of compiled.faults) report(path, message);
  }
  return { requests, faults };
}

/** Returns the schema of the tool's arguments, including those for the start of pages. */
function toInputSchema({ schema, requests }: HttpSettings): JsonSchema {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const added = requests.flatMap(({ paginate: pages }) => {
    if (pages === undefined || Object.hasOwn(properties, pages.param)) return [];
    const description = 'The start: the "next" value of an earlier result. Omit it for the first page';
    const isNumber = pages.type === 'page' || pages.type === 'offset';
    return [[pages.param, isNumber ? { type: 'integer', minimum: 0, description } : { type: 'string', description }]];
  });
  return added.length === 0 ? schema : { ...schema, properties: { ...properties, ...Object.fromEntries(added) } };
}

/** Adds the page argument to the query if it is used nowhere else. */
function addPageParam(request: RequestSettings): RequestSettings {
  const { paginate: pages, graphql } = request;
  if (pages === undefined || pages.type === 'link') return request;
  const { url, headers, query, body, form, multipart } = request;
  const templates = JSON.stringify([url, headers, query, body, form, multipart, graphql?.variables]);
  const isPlaced = templates.includes(`{{${pages.param}}}`) || templates.includes(`{{${pages.param}:-`);
  const isDeclared =
    graphql !== undefined && graphql.variables === undefined && graphql.query.includes(`$${pages.param}`);
  return isPlaced || isDeclared ? request : { ...request, query: { ...query, [pages.param]: `{{${pages.param}}}` } };
}

function acceptEvents(request: HttpRequest): HttpRequest {
  const { headers = {} } = request;
  const isAsked = Object.keys(headers).some((name) => name.toLowerCase() === 'accept');
  return isAsked ? request : { ...request, headers: { ...headers, accept: 'text/event-stream' } };
}

/** Adds the key of its call to a request that changes something. Each request of a call has its own key. */
function withKey(
  request: HttpRequest,
  header: string | undefined,
  { context, index }: { readonly context: ToolContext; readonly index: number },
): HttpRequest {
  if (header === undefined || /^(?:GET|HEAD)$/.test(request.method ?? 'GET')) return request;
  const key = context.idempotencyKey;
  if (key === undefined) return request;
  return { ...request, headers: { ...request.headers, [header]: index === 0 ? key : `${key}-${index}` } };
}

const isGiven = (value: unknown): boolean => value !== undefined;

function headerOf(headers: RequestSettings['headers']): string | undefined {
  return Object.keys(headers).find((name) => name.toLowerCase() === 'content-type');
}

function withForm(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
}

/** Creates a tool from requests with templates. They are sent in order until one fails. */
export function httpTool(entry: HttpEntry, host: KindHost): Tool {
  const { metadata, settings } = entry;
  const { source = 'api' } = metadata;
  const steps = compileHttp(settings).requests.map((step, index) => {
    const { paginate: pages, auth: written, url } = step.settings;
    const auth = written && createRequestAuth(written, url, { source, host });
    return { ...step, index, links: createPageLinks(pages?.param ?? 'next'), auth };
  });
  const client = host.httpClient(settings.allowHosts);
  const { outputs } = host;
  const { maxMedia = MAX_MEDIA, maxOutput } = metadata;

  const send = async (
    request: HttpRequest,
    { settings: { graphql, stream, paginate: pages, select, auth: written }, auth }: (typeof steps)[number],
    context: ToolContext,
  ): Promise<{ outcome: HttpOutcome; result: ToolResult }> => {
    const [needsJson] = Object.entries({ graphql, paginate: pages, select }).find(([, value]) => isGiven(value)) ?? [];
    const started = startHttp(context, request);
    const sent = started?.traceparent === undefined ? request : withTrace(request, started.traceparent);
    const outcome = await sendRequest(sent, {
      client,
      signal: context.signal,
      // Events extend the timeout of the call, which ends the request.
      timeout: stream === undefined ? metadata.timeout : MAX_STREAM,
      events: stream && listenFor(stream, context),
      maxBytes: needsJson !== undefined ? Math.max(maxOutput ?? 0, MAX_JSON) : maxOutput,
      media: { maxBytes: maxMedia, keep: outputs && (() => outputsFor(context, outputs).create()) },
      redirects: settings.redirects,
      retries: metadata.retries ?? RETRIES,
      repeats: metadata.risk === 'read' ? 'all' : metadata.retries === undefined ? 'reads' : 'idempotent',
      auth,
    }).catch((error: unknown) => {
      started?.end('failed');
      throw error;
    });
    started?.end(outcome.status < 400 ? 'ok' : String(outcome.status), { 'http.response.status_code': outcome.status });
    const answer = needsJson === undefined ? outcome : { ...outcome, body: readJson(outcome) };
    const result =
      (graphql === undefined ? undefined : graphqlResult(answer)) ??
      toResult(answer, { maxMedia, auth: written, source });
    return { outcome, result: needsJson === undefined ? result : refuseText(result, needsJson, outcome.truncated) };
  };
  const build = async (
    step: (typeof steps)[number],
    input: TemplateArguments,
    context: ToolContext,
  ): Promise<HttpRequest> => {
    const rendered = withKey(step.render(input), settings.idempotencyHeader, { context, index: step.index });
    const request = step.settings.stream === undefined ? rendered : acceptEvents(rendered);
    if (step.parts === undefined) return request;
    const sources = { folder: settings.uploadFrom ?? host.cwd, signal: context.signal };
    return withParts(request, step.parts(input), { ...sources, outputs: outputs && outputsFor(context, outputs) });
  };
  const refuse: SureRefusal = (args) => {
    for (const step of steps) {
      const url = addressOf(() => step.render(args).url);
      const refusal = url === undefined ? undefined : client.egress.checkUrl(url);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
  return defineTool({
    ...metadata,
    ...refusingFirst(refuse),
    schema: toInputSchema(settings),
    ...(settings.outputSchema === undefined ? {} : { outputSchema: settings.outputSchema }),
    ...(settings.idempotencyHeader === undefined || metadata.idempotent === true ? {} : { idempotent: 'key' }),
    // The client retries itself: it knows which requests may be repeated.
    retries: 0,
    execute: async (input, context) => {
      let result: ToolResult | undefined;
      for (const step of steps) {
        const { paginate: pages, select: expression } = step.settings;
        const take = expression === undefined ? undefined : await selectWith(expression);
        if (pages === undefined) {
          ({ result } = await send(await build(step, input, context), step, context));
          if (take !== undefined) result = selectFrom(result, take);
        } else {
          const select = take ?? ((items: unknown): unknown => items);
          const call = { settings: pages, input, context, links: step.links, select };
          const render = (values: typeof input): HttpRequest => step.render(values);
          result = await paginate({ ...call, render, send: (request) => send(request, step, context) });
        }
        if (result.failed()) return result;
      }
      return result ?? ToolResult.text('(no output)');
    },
  });
}

/** Returns the address of a request; `undefined` if only sending it can report its fault. */
function addressOf(render: () => string): URL | undefined {
  try {
    return URL.parse(render()) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Starts a span and a record entry for a request, without path and query, which may contain secrets. */
function startHttp(context: ToolContext, { url, method }: HttpRequest): StartedRequest | undefined {
  const { host, hostname, port, protocol } = new URL(url);
  return startRequest(context, {
    to: host,
    name: method,
    host: hostname,
    attributes: () => ({
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port === '' ? (protocol === 'http:' ? 80 : 443) : port),
      'url.scheme': protocol.slice(0, -1),
    }),
  });
}

function withTrace(request: HttpRequest, traceparent: string): HttpRequest {
  return { ...request, headers: { ...request.headers, traceparent } };
}

/** Returns a function that evaluates the expression. */
async function selectWith(expression: string): Promise<(value: unknown) => unknown> {
  const { select } = await import('./extras/select.ts');
  return (value) => select(value, expression);
}

/** Parses a body that must be JSON: some servers send it as text. */
function readJson({ body, truncated }: HttpOutcome): HttpBody {
  return body.type === 'text' && truncated === undefined ? parseBody(body.text) : body;
}

/** Returns a failure for text, such as a login page, if the request needs JSON. Files and empty responses stay. */
function refuseText(result: ToolResult, key: string, truncated: HttpOutcome['truncated']): ToolResult {
  const { data, content, text, meta } = result;
  if (result.failed() || data !== undefined || content !== undefined || meta.status === 204) return result;
  const refuse = (code: 'execution_failed' | 'output_too_large', message: string): ToolResult =>
    ToolResult.error(new ToolError({ code, message })).with({ meta });
  if (truncated === undefined)
    return refuse(
      'execution_failed',
      `The answer is not JSON, which ${key} of the request needs: ${text.slice(0, 500)}`,
    );
  const limit = truncated.kept.toLocaleString('en-US');
  const advice = 'Ask for less, or let the operator of the tool raise max_output.';
  return refuse(
    'output_too_large',
    `The answer has more than ${limit} bytes, and ${key} of the request needs it whole. ${advice}`,
  );
}

/** Returns the result with the selected JSON; files and empty responses stay. */
function selectFrom(result: ToolResult, take: (value: unknown) => unknown): ToolResult {
  const { data } = result;
  if (result.failed() || data === undefined) return result;
  const found = take(data);
  return result.with({ data: found, text: JSON.stringify(found) });
}
