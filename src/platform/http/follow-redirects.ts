import { ToolError } from '../../tool/tool-error.ts';
import { readHeader } from './read-header.ts';
import { exchange, type ExchangeOptions } from './exchange.ts';
import { explainFailure, explainStop } from './explain-failure.ts';
import type { HttpOutcome, HttpResponse } from './http-messages.ts';
import type { HttpRequest } from './http-messages.ts';
import { nextRequest, type RedirectMode } from './next-request.ts';

const MAX_REDIRECTS = 5;

/** Sends a request and follows redirects as far as `mode` and the egress policy allow. */
export async function followRedirects(
  first: HttpRequest,
  mode: RedirectMode,
  options: ExchangeOptions,
): Promise<HttpOutcome> {
  let request = first;
  let { auth } = options;
  for (let redirects = 0; ; redirects++) {
    const response = await tryExchange(request, { ...options, auth });
    const location = readHeader(response.headers, 'location') || undefined;
    const step = nextRequest(request, { status: response.status, location }, mode);
    if (step.type === 'stay') return toOutcome(response, redirects, step.notice);
    if (redirects === MAX_REDIRECTS) {
      const origin = new URL(request.url).origin;
      const message = `${first.method} ${new URL(first.url).origin} failed: more than ${MAX_REDIRECTS} redirects, the last from ${origin}. Check the url of the tool.`;
      throw new ToolError({ code: 'execution_failed', message });
    }
    // Credentials are dropped for good: a foreign server must not choose which URL is requested with them, even if it
    // redirects back.
    if (new URL(step.request.url).origin !== new URL(request.url).origin) auth = undefined;
    request = step.request;
  }
}

async function tryExchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  try {
    return await exchange(request, options);
  } catch (thrown) {
    throw options.stop.isOver ? explainStop(options.stop, request) : explainFailure(thrown, request);
  }
}

function toOutcome(response: HttpResponse, redirects: number, notice: string | undefined): HttpOutcome {
  const { status, truncated } = response;
  const notices = notice === undefined ? [] : [notice];
  if (truncated !== undefined) {
    const total = truncated.total === undefined ? 'more' : `${truncated.total} bytes`;
    notices.push(`The answer was cut: here are the first ${truncated.kept} bytes of ${total}.`);
  }
  const ok = status >= 200 && status < 300;
  return { ok, ...response, redirects, attempts: 1, notices };
}
