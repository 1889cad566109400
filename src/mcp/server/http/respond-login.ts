import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageLogin, PageLogins } from '../../../discovery/board-like.ts';
import { type Gate, LOGIN_PATH } from './gate/entrance.ts';
import { readBody } from './read-body.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { revealHidden } from '../../../tool/texts/reveal-hidden.ts';

export interface LoginServices {
  readonly gate: Gate;
  /** The address for browsers. */
  readonly publicUrl: string;
  /** The servers with logins of users. */
  readonly logins: readonly PageLogins[];
  /** Removes the board's secrets from a text. */
  readonly redact: (text: string) => string;
}

const COOKIE = 'pegboard_login';
const MAX_FORM = 16_384;
const GONE = 'This page is over, or was never there. Call the tool again to get another.';

/**
 * Answers the pages on which users log in to other servers: a page that explains the login and asks for the user's token of the board,
 * the redirect to the authorization server, and the callback.
 *
 * The page authenticates its user before it redirects. Otherwise one user could send another the link and act with the other's login
 * afterwards.
 */
export async function respondLogin(
  request: IncomingMessage,
  response: ServerResponse,
  services: LoginServices,
): Promise<void> {
  const { gate, publicUrl, logins, redact } = services;
  const { origin } = request.headers;
  const own = new URL(publicUrl).origin;
  // A form of this page sends its origin; pages of others may not post here.
  const isOwn = origin === undefined || origin === own || (origin === 'null' && request.method === 'GET');
  const fault = isOwn ? gate.checkSender(withoutOrigin(request)) : `Pages of "${origin}" may not post here.`;
  if (fault !== undefined) return writePage(response, 403, { title: 'Not here', text: fault });
  const { pathname } = new URL(request.url ?? '/', own);
  const page = pathname.slice(LOGIN_PATH.length + 1);
  try {
    if (page === 'callback') return await finish(request, response, services);
    const found = await findLogin(logins, page);
    if (found === undefined) return writePage(response, 404, { title: 'Nothing to log in to', text: GONE });
    if (request.method === 'GET') return ask(response, found.login, { gate, status: 200 });
    if (request.method !== 'POST')
      return writePage(response, 405, { title: 'Not so', text: 'Open this page with GET.' });
    const form = await readForm(request);
    if (form === undefined) return writePage(response, 413, { title: 'Too much', text: 'The form is too large.' });
    const refusal = await prove(request, form.get('token') ?? '', { gate, user: found.login.user });
    if (refusal !== undefined) return ask(response, found.login, { gate, ...refusal });
    const begun = await found.logins.begin(page);
    if (begun === undefined) return writePage(response, 404, { title: 'Nothing to log in to', text: GONE });
    const secure = own.startsWith('https:') ? '; Secure' : '';
    response.writeHead(303, {
      location: begun.url,
      'set-cookie': `${COOKIE}=${begun.cookie}; HttpOnly; SameSite=Lax; Path=${LOGIN_PATH}; Max-Age=600${secure}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    response.end();
  } catch (error) {
    const text = `There is no login: ${messageOf(error).replace(/\.?$/, '.')} Call the tool again to get another page.`;
    writePage(response, 400, { title: 'No login', text: redact(text) });
  }
}

async function finish(request: IncomingMessage, response: ServerResponse, services: LoginServices): Promise<void> {
  const { publicUrl, logins } = services;
  if (request.method !== 'GET')
    return writePage(response, 405, { title: 'Not so', text: 'Browsers come back with GET.' });
  const address = new URL(request.url ?? '/', publicUrl).href;
  const cookie = readCookie(request.headers.cookie);
  for (const one of logins) {
    const login = await one.finish(address, cookie);
    if (login === undefined) continue;
    const text = `You are logged in at ${login.server}. You can close this page and go back to your program.`;
    return writePage(response, 200, { title: 'Logged in', text });
  }
  writePage(response, 404, { title: 'Nothing to log in to', text: GONE });
}

function ask(
  response: ServerResponse,
  { server, user, issuer, scope }: PageLogin,
  { gate, status, fault }: { readonly gate: Gate; readonly status: number; readonly fault?: string },
): void {
  const who = user === '' ? 'the user of this board' : user.replace(/^(?:token|oauth):/, '');
  const rights = scope === undefined ? '' : ` It asks for: ${scope}.`;
  writePage(response, status, {
    title: `Log in at ${server}`,
    text: `Calls that ${who} makes on this board will use your account at ${issuer}.${rights} Go on only if you are ${who} and asked for this yourself.`,
    fault,
    form: { wantsToken: needsProof(user, gate), button: `Go on to ${new URL(issuer).host}` },
  });
}

/** Returns true when a person must enter the user's token. Users of an authorization server have none that they could enter. */
function needsProof(user: string, { login }: Gate): boolean {
  return login !== undefined && user !== '' && !user.startsWith('oauth:');
}

/** Returns the reason of a refusal. Wrong tokens count as elsewhere. */
async function prove(
  request: IncomingMessage,
  token: string,
  { gate, user }: { readonly gate: Gate; readonly user: string },
): Promise<{ readonly status: number; readonly fault: string } | undefined> {
  if (!needsProof(user, gate) || gate.login === undefined) return undefined;
  if (token === '') return { status: 400, fault: 'Type the token with which your program uses this board.' };
  const headers = { ...request.headers, authorization: `Bearer ${token.trim()}` };
  // Only headers and the sender's address are read.
  const outcome = await gate.login(Object.assign(Object.create(request), { headers }) as IncomingMessage);
  if ('status' in outcome) return { status: outcome.status, fault: outcome.message };
  if ((outcome.user ?? outcome.id) === user) return undefined;
  return { status: 403, fault: 'This is the token of another user. The page is for the one who got the link.' };
}

async function findLogin(
  all: readonly PageLogins[],
  page: string,
): Promise<{ readonly login: PageLogin; readonly logins: PageLogins } | undefined> {
  for (const logins of all) {
    const login = await logins.find(page);
    if (login !== undefined) return { login, logins };
  }
  return undefined;
}

function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  return new Promise((resolve) => {
    readBody(request, { bytes: MAX_FORM }, (body) => resolve(body.ok ? new URLSearchParams(body.text) : undefined));
  });
}

function readCookie(header = ''): string {
  const found = header.split(';').find((part) => part.trim().startsWith(`${COOKIE}=`));
  return found === undefined ? '' : found.trim().slice(COOKIE.length + 1);
}

function withoutOrigin(request: IncomingMessage): IncomingMessage {
  const { origin: _, ...headers } = request.headers;
  // Only headers are read.
  return Object.assign(Object.create(request), { headers }) as IncomingMessage;
}

interface LoginPage {
  readonly title: string;
  readonly text: string;
  readonly fault?: string | undefined;
  readonly form?: { readonly wantsToken: boolean; readonly button: string };
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem;margin:.25rem 0 1rem}button{font:inherit;padding:.4rem 1rem}.fault{color:#a40000}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Answers with a page that runs no scripts, loads nothing and cannot be framed. */
function writePage(response: ServerResponse, status: number, { title, text, fault, form }: LoginPage): void {
  const field =
    '<label>Your token of this board<input type="password" name="token" required autocomplete="current-password"></label>';
  const body = [
    `<h1>${escape(title)}</h1>`,
    `<p>${escape(text)}</p>`,
    ...(fault === undefined ? [] : [`<p class="fault" role="alert">${escape(fault)}</p>`]),
    ...(form === undefined
      ? []
      : [`<form method="post">${form.wantsToken ? field : ''}<button>${escape(form.button)}</button></form>`]),
  ];
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title><style>${STYLE}</style></head><body>${body.join('')}</body></html>`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    // The redirect leads to another origin, which some browsers count as a form action.
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'`,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // The address is secret. Without any referrer, browsers hide the origin of the form from this server too.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  response.end(html);
}

function escape(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return revealHidden(text).replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign);
}
