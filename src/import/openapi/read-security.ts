import { isPlainObject } from '../../tool/json.ts';
import { FRAMING, type OperationParameter } from './place-parameters.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** Credentials of a request, in the form of `auth` of an http tool. */
export type OperationAuth =
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | {
      readonly type: 'oauth';
      readonly grant: 'client_credentials';
      readonly token_url: string;
      readonly client_id: string;
      readonly client_secret: string;
    }
  | { readonly type: 'api_key'; readonly in: Place; readonly name: string; readonly value: string };

type Place = 'header' | 'query' | 'cookie';

/** The credentials of an operation, with environment variables in place of secrets. */
export interface Credentials {
  readonly auth: OperationAuth | undefined;
  /** Additional keys to send. */
  readonly headers: Record<string, string>;
  readonly query: Record<string, string>;
  readonly cookies: readonly string[];
}

/** The credentials of an operation that needs none. */
export const NO_CREDENTIALS: Credentials = { auth: undefined, headers: {}, query: {}, cookies: [] };

/** Reads the credentials that an operation needs, and notes the variables to set. */
export function readSecurity(operation: DocumentNode, reader: ReferenceReader): Credentials {
  const { document, note } = reader;
  const wanted = operation['security'] ?? document['security'];
  const alternatives = Array.isArray(wanted) ? wanted.filter(isPlainObject) : [];
  const isOptional = alternatives.some((alternative) => Object.keys(alternative).length === 0);
  const components = document['components'];
  const schemes = isPlainObject(components) ? components['securitySchemes'] : undefined;
  const read = (names: DocumentNode): { name: string; auth: OperationAuth | undefined }[] =>
    Object.keys(names).map((name) => {
      const scheme = isPlainObject(schemes) && Object.hasOwn(schemes, name) ? reader.follow(schemes[name]) : undefined;
      return { name, auth: scheme === undefined ? undefined : toAuth(scheme, name, titleOf(document)) };
    });
  const all = isOptional ? [] : alternatives.map(read);
  // The first alternative that can be sent.
  const chosen = all.find((parts) => parts.every(({ auth }) => auth !== undefined)) ?? all[0] ?? [];
  const credentials = {
    headers: {} as Record<string, string>,
    query: {} as Record<string, string>,
    cookies: [] as string[],
  };
  let first: OperationAuth | undefined;
  for (const { name, auth } of chosen) {
    if (auth === undefined) {
      note(`The security scheme "${name}" cannot be sent as a header, a query value or a cookie. Add it by hand.`);
      continue;
    }
    const variables = [...JSON.stringify(auth).matchAll(/\$\{(\w+)\}/g)].map(([, variable = '']) => variable);
    note(`Set ${variables.join(' and ')} for the security scheme "${name}".`);
    if (first === undefined) first = auth;
    else if (auth.type === 'bearer') credentials.headers['Authorization'] = `Bearer ${auth.token}`;
    else if (auth.type === 'api_key' && auth.in === 'cookie') credentials.cookies.push(`${auth.name}=${auth.value}`);
    else if (auth.type === 'api_key') credentials[auth.in === 'query' ? 'query' : 'headers'][auth.name] = auth.value;
    else note(`The security scheme "${name}" cannot be sent besides another one. Add it by hand.`);
  }
  return { auth: first, ...credentials };
}

function toAuth(scheme: DocumentNode, schemeName: string, title: string): OperationAuth | undefined {
  const { type, name, in: place } = scheme;
  const variable = (suffix: string): string => `\${${toVariable(`${title}_${suffix}`)}}`;
  const bearer: OperationAuth = { type: 'bearer', token: variable('TOKEN') };
  if (type === 'oauth2') {
    const { clientCredentials, ...others } = isPlainObject(scheme['flows']) ? scheme['flows'] : {};
    const url = isPlainObject(clientCredentials) ? clientCredentials['tokenUrl'] : undefined;
    const isAlone = Object.keys(others).every((flow) => flow.startsWith('x-'));
    // If a person can log in too, an existing token is simplest.
    if (!isAlone || typeof url !== 'string' || !/^https?:\/\/[^{}]+$/i.test(url)) return bearer;
    const client = { client_id: variable('CLIENT_ID'), client_secret: variable('CLIENT_SECRET') };
    return { type: 'oauth', grant: 'client_credentials', token_url: url, ...client };
  }
  if (type === 'openIdConnect') return bearer;
  if (type === 'http') {
    const kind = String(scheme['scheme']).toLowerCase();
    if (kind === 'bearer') return bearer;
    if (kind !== 'basic') return undefined;
    return { type: 'basic', username: variable('USERNAME'), password: variable('PASSWORD') };
  }
  const isPlaced = place === 'header' || place === 'query' || place === 'cookie';
  if (type !== 'apiKey' || typeof name !== 'string' || !isPlaced || !KEY_NAME.test(name)) return undefined;
  if (place === 'header' && FRAMING.has(name.toLowerCase())) return undefined;
  return { type: 'api_key', in: place, name, value: variable(schemeName) };
}

const KEY_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers with credentials. */
const SECRET_HEADER = /^(?:cookie|proxy-authorization)$/i;
const SECRET = /^(?:x[-_])?(?:api[-_]?key|(?:access|auth|api)[-_]?token|client[-_]?secret)$/i;

/**
 * Removes credentials from the arguments, because no model should have them. Required ones come from variables; others are
 * omitted.
 */
export function takeSecrets(
  parameters: readonly OperationParameter[],
  credentials: Credentials,
  { document, note, isMain }: Pick<ReferenceReader, 'document' | 'note'> & { readonly isMain: boolean },
): { readonly parameters: readonly OperationParameter[]; readonly credentials: Credentials } {
  const headers = { ...credentials.headers };
  const query = { ...credentials.query };
  const others = parameters.filter(({ name, place, required }) => {
    // A plain "token" may be anything, such as an invitation, unless the operation requires a login.
    const isSecret =
      SECRET.test(name) ||
      (place === 'header' && SECRET_HEADER.test(name)) ||
      (/^token$/i.test(name) && credentials.auth !== undefined);
    if (!isSecret || (place !== 'header' && place !== 'query')) return true;
    if (!required || !isMain) return false;
    const variable = toVariable(`${titleOf(document)}_${name}`);
    (place === 'header' ? headers : query)[name] = `\${${variable}}`;
    note(`Set ${variable} for the ${place} value "${name}".`);
    return false;
  });
  return { parameters: others, credentials: { ...credentials, headers, query } };
}

function titleOf(document: DocumentNode): string {
  const info = document['info'];
  return isPlainObject(info) && typeof info['title'] === 'string' ? info['title'] : 'API';
}

function toVariable(text: string): string {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
  const plain = words.replaceAll(/[^A-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  if (plain === '') return 'API_KEY';
  return /^\d/.test(plain) ? `_${plain}` : plain;
}
