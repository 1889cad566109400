import { ToolError } from '../../tool/tool-error.ts';
import { readHeader, type HttpOutcome, type HttpResponse, type HttpRequest } from './http-messages.ts';
import { exchange, type ExchangeOptions } from './exchange.ts';
import { explainFailure, explainStop } from './explain-failure.ts';

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
    // Credentials are dropped permanently: a foreign server must not choose which URL is requested with them, even if it redirects back.
    if (new URL(step.request.url).origin !== new URL(request.url).origin) auth = undefined;
    request = step.request;
  }
}

async function tryExchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  try {
    return await exchange(request, options);
  } catch (thrown) {
    throw options.stop.aborted ? explainStop(options.stop, request) : explainFailure(thrown, request);
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

/** Redirects to follow: within the same origin, to any server the policy allows, or none. */
export type RedirectMode = 'same-origin' | 'any' | 'none';

/** The action after a response: stay with it, or follow its redirect. */
type NextStep =
  | { readonly type: 'stay'; readonly notice?: string }
  | { readonly type: 'follow'; readonly request: HttpRequest };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that are safe to send to another origin; any other configured header may be a secret. */
const IMPERSONAL = /^(?:accept|accept-language|accept-encoding|user-agent)$/i;
const ABOUT_THE_BODY = /^content-/i;

/** Reads a response's `Location` and creates the next request, if the redirect may be followed. */
function nextRequest(
  request: HttpRequest,
  response: { readonly status: number; readonly location: string | undefined },
  mode: RedirectMode,
): NextStep {
  const { status, location } = response;
  if (!REDIRECTS.has(status) || location === undefined || mode === 'none') return { type: 'stay' };
  const from = new URL(request.url);
  const to = URL.parse(location, request.url);
  if (to === null) return { type: 'stay', notice: 'The server redirects to an address that cannot be read.' };
  const isSameOrigin = to.origin === from.origin;
  if (!isSameOrigin && mode === 'same-origin') {
    const notice = `The redirect from ${from.origin} to ${to.origin} was not followed. Call ${to.origin} instead, or set redirects: any in the config.`;
    return { type: 'stay', notice };
  }
  const becomesGet = changesToGet(request.method, status);
  if (!isSameOrigin && request.body !== undefined && !becomesGet) {
    const notice = `The redirect from ${from.origin} to ${to.origin} was not followed: it would send the body to another server.`;
    return { type: 'stay', notice };
  }
  to.username = '';
  to.password = '';
  const headers = Object.entries(request.headers ?? {}).filter(
    ([name]) => (isSameOrigin || IMPERSONAL.test(name)) && !(becomesGet && ABOUT_THE_BODY.test(name)),
  );
  return {
    type: 'follow',
    request: {
      method: becomesGet ? 'GET' : request.method,
      url: to.href,
      headers: Object.fromEntries(headers),
      body: becomesGet ? undefined : request.body,
    },
  };
}

function changesToGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return method === 'POST' && (status === 301 || status === 302);
}
