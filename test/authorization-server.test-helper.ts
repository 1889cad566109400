import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  type LoopbackServer,
  type SeenRequest,
  startServer,
} from '../src/platform/http/loopback-server.test-helper.ts';

/** An authorization server and the API that takes its tokens, on this machine. */
export interface ApiWithLogin {
  readonly origin: string;
  readonly seen: LoopbackServer['seen'];
  /** The grants that were asked for, in order; refused ones begin with "!". */
  readonly grants: string[];
  /** The tokens that the API takes. */
  readonly valid: Set<string>;
  /** Every token and code that was given. */
  readonly secrets: string[];
  /** Answers to the next polls of a device, before it is let in. */
  readonly pending: string[];
  /** Answers the next requests for tokens with these, in place of the server. */
  readonly faults: { readonly status: number; readonly body: unknown }[];
  /** Seconds that tokens are good for; none where it does not say. */
  lifetime: number | undefined;
  /** Holds token requests back until it resolves. */
  gate: Promise<void>;
}

/** Starts an API at `/api`, with tokens for `client:secret`. Each refresh token is good for one use. */
export async function startApiWithLogin(): Promise<ApiWithLogin> {
  const refreshes = new Set<string>();
  const codes = new Map<string, string>();
  let count = 0;
  const state = {
    grants: [] as string[],
    valid: new Set<string>(),
    secrets: [] as string[],
    pending: [] as string[],
    faults: [] as { status: number; body: unknown }[],
    lifetime: 3600 as number | undefined,
    gate: Promise.resolve(),
  };
  const make = (kind: string): string => {
    const made = `${kind}-of-the-server-${++count}`;
    state.secrets.push(made);
    return made;
  };
  const give = (response: ServerResponse, hasRefresh: boolean): void => {
    const access_token = make('access');
    state.valid.add(access_token);
    const refresh_token = hasRefresh ? make('refresh') : undefined;
    if (refresh_token !== undefined) refreshes.add(refresh_token);
    answer(response, 200, { access_token, token_type: 'bearer', expires_in: state.lifetime, refresh_token });
  };
  const giveToken = (form: URLSearchParams, { headers }: SeenRequest, response: ServerResponse): void => {
    const fault = state.faults.shift();
    if (fault !== undefined) return answer(response, fault.status, fault.body);
    const grant = form.get('grant_type') ?? '';
    const short = grant.split(':').at(-1) ?? '';
    const refuse = (error: string, status = 400): void => {
      state.grants.push(`!${short}`);
      answer(response, status, { error, error_description: 'a text that may hold anything' });
    };
    const isClient =
      (form.get('client_id') === 'client' && form.get('client_secret') === 'client-secret-1') ||
      headers.authorization === `Basic ${btoa('client:client-secret-1')}` ||
      form.get('client_id') === 'public';
    if (!isClient) return refuse('invalid_client', 401);
    if (short === 'device_code') {
      const error = state.pending.shift();
      if (error !== undefined) return refuse(error);
    }
    // Refused as it would be when someone stole it.
    if (grant === 'refresh_token' && !refreshes.delete(form.get('refresh_token') ?? '')) return refuse('invalid_grant');
    if (grant === 'authorization_code') {
      const challenge = codes.get(form.get('code') ?? '');
      const shown = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (challenge !== shown) return refuse('invalid_grant');
    }
    state.grants.push(short);
    give(response, short !== 'client_credentials');
  };
  const server = await startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.target, 'http://x');
    const form = new URLSearchParams(request.body.toString());
    if (pathname.startsWith('/.well-known/oauth-authorization-server')) {
      const path = pathname.split('/').at(3);
      answer(response, 200, {
        // Metadata in another issuer's folder must not be accepted for it.
        issuer: path === 'other' ? 'https://other.example.com' : server.origin + (path === undefined ? '' : `/${path}`),
        // Addresses that only a server names are never private.
        token_endpoint: path === 'inside' ? 'https://169.254.169.254/token' : `${server.origin}/token`,
        device_authorization_endpoint: `${server.origin}/device`,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      });
    } else if (pathname === '/token') {
      void state.gate.then(() => giveToken(form, request, response));
    } else if (pathname === '/device') {
      const device_code = make('device');
      const verification_uri = `${server.origin}/type-it-here`;
      answer(response, 200, { device_code, user_code: 'WDJB-MJHT', verification_uri, expires_in: 900, interval: 0.01 });
    } else if (pathname === '/authorize') {
      const code = make('code');
      codes.set(code, searchParams.get('code_challenge') ?? '');
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
    } else {
      const [, token = ''] = /^Bearer (.*)$/.exec(request.headers.authorization ?? '') ?? [];
      if (state.valid.has(token)) answer(response, 200, { said: request.headers.authorization });
      else answer(response, 401, { error: 'no valid token' });
    }
  });
  return Object.assign(state, { origin: server.origin, seen: server.seen });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
