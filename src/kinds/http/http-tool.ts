import { refusingFirst, type SureRefusal } from '../../tool/tool-marks.ts';
import { startRequest } from '../../tool/calls/call-owner.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { TemplateArguments } from '../../platform/http/template/fill-template.ts';
import type { HttpOutcome, HttpRequest } from '../../platform/http/http-messages.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import type { KindHost } from '../kind.ts';
import { createRequestAuth } from './auth/create-request-auth.ts';
import { outputsFor } from '../../platform/outputs/output-store.ts';
import { listenFor } from './extras/event-stream.ts';
import { compileHttp, isGiven, toInputSchema } from './compile-http.ts';
import type { HttpEntry } from './read-requests.ts';
import { graphqlResult, readJson, refuseText, selectFrom, toResult } from './http-result.ts';
import { createPageLinks, paginate } from './extras/paginate.ts';
import { withParts } from './extras/upload.ts';

/** Default retries of a request that only reads. */
const RETRIES = 2;
/** Default for the most bytes of images and files in a result. */
const MAX_MEDIA = 10_485_760;

/** The longest time in milliseconds that a server may send events. */
const MAX_STREAM = 24 * 60 * 60 * 1000;
/** The most bytes of JSON that are parsed for selection. */
const MAX_JSON = 4 * 1024 * 1024;

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
function startHttp(context: ToolContext, { url, method }: HttpRequest): ReturnType<typeof startRequest> {
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
