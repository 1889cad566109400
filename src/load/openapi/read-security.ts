import { isPlainObject } from '../../tool/json.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** What proves to the server who is calling, with environment variables in place of secrets. */
export interface Credentials {
  readonly headers: Record<string, string>;
  readonly query: Record<string, string>;
  readonly cookies: readonly string[];
}

type Placed = { readonly place: 'header' | 'query' | 'cookie'; readonly name: string; readonly value: string };

/** Reads which credentials an operation asks for, and notes which variables to set. */
export function readSecurity(operation: DocumentNode, reader: ReferenceReader): Credentials {
  const { document, note } = reader;
  const wanted = operation['security'] ?? document['security'];
  const alternatives = Array.isArray(wanted) ? wanted.filter(isPlainObject) : [];
  const isOptional = alternatives.some((alternative) => Object.keys(alternative).length === 0);
  const chosen = isOptional ? {} : (alternatives[0] ?? {});
  const credentials: Credentials & { cookies: string[] } = { headers: {}, query: {}, cookies: [] };
  for (const schemeName of Object.keys(chosen)) {
    const components = document['components'];
    const schemes = isPlainObject(components) ? components['securitySchemes'] : undefined;
    const scheme = isPlainObject(schemes) ? reader.follow(schemes[schemeName]) : undefined;
    const placed = scheme === undefined ? undefined : placeScheme(scheme, schemeName, titleOf(document));
    if (placed === undefined) {
      note(
        `The security scheme "${schemeName}" cannot be sent as a header, a query value or a cookie. Add it by hand.`,
      );
      continue;
    }
    const { place, name, value } = placed;
    if (place === 'cookie') credentials.cookies.push(`${name}=${value}`);
    else credentials[place === 'header' ? 'headers' : 'query'][name] = value;
    const variable = /\$\{(\w+)\}/.exec(value)?.[1] ?? '';
    const shown = place === 'header' ? `the header "${name}: ${value}"` : `the ${place} value "${name}=${value}"`;
    note(`Set ${variable} for the security scheme "${schemeName}": requests send ${shown}.`);
  }
  return credentials;
}

function placeScheme(scheme: DocumentNode, schemeName: string, title: string): Placed | undefined {
  const { type, name, in: place } = scheme;
  const variable = (suffix: string): string => `\${${toVariable(`${title}_${suffix}`)}}`;
  const authorization = (value: string): Placed => ({ place: 'header', name: 'Authorization', value });
  if (type === 'oauth2' || type === 'openIdConnect') return authorization(`Bearer ${variable('TOKEN')}`);
  if (type === 'http') {
    const kind = String(scheme['scheme']).toLowerCase();
    if (kind === 'bearer') return authorization(`Bearer ${variable('TOKEN')}`);
    return kind === 'basic' ? authorization(`Basic ${variable('BASIC')}`) : undefined;
  }
  const isPlaced = place === 'header' || place === 'query' || place === 'cookie';
  if (type !== 'apiKey' || typeof name !== 'string' || !isPlaced) return undefined;
  return { place, name, value: variable(schemeName) };
}

function titleOf(document: DocumentNode): string {
  const info = document['info'];
  return isPlainObject(info) && typeof info['title'] === 'string' ? info['title'] : 'API';
}

function toVariable(text: string): string {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
  const plain = words.replaceAll(/[^A-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return /^\d/.test(plain) ? `_${plain}` : plain;
}
