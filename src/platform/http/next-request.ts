import type { HttpRequest } from './http-messages.ts';

/** Redirects to follow: within the same origin, to any server the policy allows, or none. */
export type RedirectMode = 'same-origin' | 'any' | 'none';

/** The action after a response: stay with it, or follow its redirect. */
export type NextStep =
  | { readonly type: 'stay'; readonly notice?: string }
  | { readonly type: 'follow'; readonly request: HttpRequest };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that are safe to send to another origin; any other configured header may be a secret. */
const IMPERSONAL = /^(?:accept|accept-language|accept-encoding|user-agent)$/i;
const ABOUT_THE_BODY = /^content-/i;

/** Reads a response's `Location` and creates the next request, if the redirect may be followed. */
export function nextRequest(
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
  if (!isSameOrigin && request.body !== undefined && !changesToGet(request.method, status)) {
    const notice = `The redirect from ${from.origin} to ${to.origin} was not followed: it would send the body to another server.`;
    return { type: 'stay', notice };
  }
  to.username = '';
  to.password = '';
  const becomesGet = changesToGet(request.method, status);
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
