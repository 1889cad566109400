import type { HttpRequest } from '../../../platform/http/http-messages.ts';
import type { RequestAuth } from '../../../platform/http/exchange.ts';
import { OAuthFault } from '../../../platform/oauth/oauth-settings.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { KindHost } from '../../kind.ts';
import { type ApiAuth, headerOf, type OAuthApi, originOf, toClient } from './api-auth.ts';

/** Adds credentials to a request to the server that they are for. */
type Prove = (request: HttpRequest) => HttpRequest | Promise<HttpRequest>;

/** Adds credentials, and reacts when a request is rejected. */
interface Proof {
  readonly prove: Prove;
  readonly renew?: NonNullable<RequestAuth['renew']>;
}

/** Identifies the requests. */
interface AuthOptions {
  readonly source: string;
  readonly host: Pick<KindHost, 'apiTokens'>;
}

/** Creates the credentials for requests to the server of `url`. A header in the config wins over them. */
export function createRequestAuth(auth: ApiAuth, url: string, options: AuthOptions): RequestAuth {
  const origin = originOf(url);
  const own = headerOf(auth);
  const isMeant = (request: HttpRequest): boolean =>
    new URL(request.url).origin === origin &&
    !Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === own);
  const empty = emptyKey(auth);
  const proof: Proof = empty === undefined ? createProof(auth, options) : { prove: () => refuseEmpty(empty) };
  const { prove, renew } = proof;
  return {
    authorize: (request) => (isMeant(request) ? prove(request) : request),
    ...(renew === undefined
      ? {}
      : { renew: async (refused) => new URL(refused.url).origin === origin && renew(refused) }),
  };
}

function createProof(auth: ApiAuth, options: AuthOptions): Proof {
  switch (auth.type) {
    case 'bearer':
      return { prove: withHeader('authorization', `Bearer ${auth.token}`) };
    case 'basic': {
      const pair = Buffer.from(`${auth.username}:${auth.password ?? ''}`).toString('base64');
      return { prove: withHeader('authorization', `Basic ${pair}`) };
    }
    case 'api_key':
      return { prove: withKey(auth) };
    case 'oauth':
      return withToken(auth, options);
    case 'aws_sigv4':
      return { prove: withSignature(auth) };
  }
}

/** Returns the key of an auth without a value, for example because its variable is empty. */
function emptyKey(auth: ApiAuth): string | undefined {
  const needed = {
    bearer: ['token'],
    basic: ['username'],
    api_key: ['value'],
    oauth: ['client_id'],
    aws_sigv4: ['access_key_id', 'secret_access_key'],
  }[auth.type];
  return needed.find((key) => Reflect.get(auth, key) === '');
}

function refuseEmpty(key: string): never {
  const message = `The request was not sent: auth.${key} of its config is empty. Set the variable that it names and reload the board.`;
  throw new ToolError({ code: 'permission_denied', message });
}

function withHeader(name: string, value: string): Prove {
  return (request) => ({ ...request, headers: { ...request.headers, [name]: value } });
}

function withKey({ in: place = 'header', name, value }: Extract<ApiAuth, { readonly type: 'api_key' }>): Prove {
  switch (place) {
    case 'header':
      return withHeader(name, value);
    case 'query': {
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
      return (request) => ({ ...request, url: `${request.url}${request.url.includes('?') ? '&' : '?'}${pair}` });
    }
    case 'cookie':
      return (request) => {
        const { cookies, headers } = splitCookies(request.headers ?? {});
        return { ...request, headers: { ...headers, cookie: [...cookies, `${name}=${value}`].join('; ') } };
      };
  }
}

function withToken(auth: OAuthApi, { source, host }: AuthOptions): Proof {
  const client = toClient(auth, source);
  const explain = (error: unknown): ToolError => {
    if (error instanceof ToolError) return error;
    const isOutage = error instanceof OAuthFault && error.isOutage;
    const isUnknown = error instanceof OAuthFault && /^(?:invalid|unauthorized)_client$/.test(error.code ?? '');
    const advice = isUnknown ? ' The operator of the tool must check auth.client_id and auth.client_secret.' : '';
    const message = `The request was not sent: there is no token for the API "${client.name}", because ${messageOf(error).replace(/\.$/, '')}.${advice}`;
    return new ToolError({ code: isOutage ? 'upstream_unavailable' : 'permission_denied', message, cause: error });
  };
  return {
    prove: async (request) => {
      try {
        const access = await (await host.apiTokens(client)).access();
        return withHeader('authorization', `Bearer ${access}`)(request);
      } catch (error) {
        throw explain(error);
      }
    },
    renew: async ({ headers }) => {
      const [, refused] = /^Bearer (.*)$/.exec(headers?.['authorization'] ?? '') ?? [];
      try {
        return refused !== undefined && (await (await host.apiTokens(client)).renew(refused));
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

function withSignature(auth: Extract<ApiAuth, { readonly type: 'aws_sigv4' }>): Prove {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = auth;
  const signer = { accessKeyId, secretAccessKey, sessionToken, region: auth.region, service: auth.service };
  return async (request) => {
    const { signAws } = await import('../../../platform/http/sign-aws.ts');
    return signAws(request, signer, Date.now());
  };
}

function splitCookies(all: Readonly<Record<string, string>>): {
  readonly cookies: readonly string[];
  readonly headers: Record<string, string>;
} {
  const [cookies, others] = [true, false].map((isCookie) =>
    Object.entries(all).filter(([name]) => (name.toLowerCase() === 'cookie') === isCookie),
  );
  return { cookies: (cookies ?? []).map(([, value]) => value), headers: Object.fromEntries(others ?? []) };
}
