import type { z } from 'zod';
import type { ApiClient } from '../../../platform/oauth/api-tokens.ts';
import type { ReadContext } from '../../kind.ts';
import type { httpSection } from '../schema.ts';

type WrittenAuth = NonNullable<z.input<typeof httpSection>['auth']>;

/** The credentials of an API, as written in a file. */
export type ApiAuth = Exclude<WrittenAuth, { readonly type: 'none' }>;

/** An API with tokens from an authorization server. */
export type OAuthApi = Extract<ApiAuth, { readonly type: 'oauth' }>;

/** Registers the secrets of an auth, even those in the file itself. */
export function noteSecrets(auth: WrittenAuth | undefined, context: Pick<ReadContext, 'addSecrets'>): void {
  const addSecrets = (name: string, value: string): void => {
    // An unset variable is not a secret: the tools that need it are disabled.
    if (!value.includes('${')) context.addSecrets(name, value);
  };
  switch (auth?.type) {
    case 'bearer':
      return addSecrets('auth.token', auth.token);
    case 'basic':
      // Some APIs take a key as the name, and no password.
      return addSecrets('auth.password', auth.password || auth.username);
    case 'api_key':
      return addSecrets('auth.value', auth.value);
    case 'oauth':
      return addSecrets('auth.client_secret', auth.client_secret ?? '');
    case 'aws_sigv4':
      addSecrets('auth.secret_access_key', auth.secret_access_key);
      return addSecrets('auth.session_token', auth.session_token ?? '');
    case 'none':
    case undefined:
  }
}

/** Anything but tab, visible latin-1 characters and spaces. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;
const NO_COOKIE = /[^!#-+\--:<-[\]-~]/;

/** Returns the fault of an auth; `undefined` if it can be used. */
export function findFault(auth: WrittenAuth | undefined): string | undefined {
  if (auth?.type === 'bearer' && UNSENDABLE.test(auth.token))
    return 'has a token with a line break or another character that a header cannot carry.';
  if (auth?.type === 'basic' && auth.username.includes(':')) return 'has a username with a colon, which ends the name.';
  if (auth?.type === 'api_key') {
    const shape = { header: UNSENDABLE, query: undefined, cookie: NO_COOKIE }[auth.in ?? 'header'];
    return shape?.test(auth.value) === true
      ? `has a value with a character that a ${auth.in ?? 'header'} cannot carry.`
      : undefined;
  }
  if (auth?.type !== 'oauth' || auth.issuer !== undefined) return undefined;
  const { grant, token_url: token, device_url: device, authorize_url: authorize } = auth;
  if (token === undefined) return 'needs token_url, or an issuer that provides it.';
  if (grant === 'device' && device === undefined)
    return 'needs device_url for grant: device, or an issuer that provides it.';
  if (grant === 'authorization_code' && authorize === undefined)
    return 'needs authorize_url for grant: authorization_code, or an issuer that provides it.';
  return undefined;
}

/** Describes the kind of an auth, never its values. */
export function describeAuth(auth: ApiAuth): string {
  if (auth.type === 'api_key') return `api_key (${auth.in ?? 'header'} ${auth.name})`;
  return auth.type === 'oauth' ? `oauth (${auth.grant})` : auth.type;
}

/** Says what to check when a server rejected the credentials of a tool. */
export function adviseRefused(auth: ApiAuth, source: string): string {
  if (auth.type === 'oauth' && auth.grant !== 'client_credentials')
    return `The server refused the login. Log in again: pegboard login ${toClient(auth, source).name}.`;
  const keys = {
    bearer: 'auth.token',
    basic: 'auth.username and auth.password',
    api_key: 'auth.name and auth.value',
    oauth: 'auth.client_id, auth.client_secret and auth.scope',
    aws_sigv4: 'auth.access_key_id and auth.secret_access_key',
  }[auth.type];
  return `The server refused the credentials (${describeAuth(auth)}). The operator of the tool must check ${keys} in its config, and the variables there.`;
}

/** Returns the header that an auth sets, in lower case; `undefined` if it sets none. */
export function headerOf(auth: ApiAuth): string | undefined {
  if (auth.type !== 'api_key') return 'authorization';
  return { header: auth.name.toLowerCase(), query: undefined, cookie: undefined }[auth.in ?? 'header'];
}

/** Returns scheme, host and port of an address that may have placeholders after them. */
export function originOf(url: string): string | undefined {
  const [start] = /^\s*https?:\/\/[^/?#\\{]+/i.exec(url) ?? [];
  return start === undefined ? undefined : URL.parse(start)?.origin;
}

/** Returns the client of an API; `source` names a login that has no name of its own. */
export function toClient(auth: OAuthApi, source: string): ApiClient {
  return {
    name: auth.name ?? source,
    grant: auth.grant,
    issuer: auth.issuer,
    tokenUrl: auth.token_url,
    deviceUrl: auth.device_url,
    authorizeUrl: auth.authorize_url,
    clientId: auth.client_id,
    clientSecret: auth.client_secret || undefined,
    clientAuth: auth.client_auth,
    scope: auth.scope || undefined,
    audience: auth.audience || undefined,
  };
}
