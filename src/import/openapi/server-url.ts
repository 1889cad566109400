import { isPlainObject } from '../../tool/json.ts';
import { escapeText, unescapeText } from '../../tool/texts/escape-variables.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** Selects the server for requests. */
export interface ServerChoice {
  /** The address of the API, which overrides the document's. */
  readonly baseUrl?: string | undefined;
  /** The number of one of the document's servers. Default: 1. */
  readonly server?: number | undefined;
  /** Values for the variables in a server's address, by name. */
  readonly serverVariables?: Readonly<Record<string, string>> | undefined;
  /** The address of the document, for relative addresses. */
  readonly documentUrl?: string | undefined;
}

/** Returns the address that paths are appended to, without a final slash. The first non-empty list of servers counts. */
export function serverUrl(
  lists: readonly unknown[],
  { reader: { note }, ...choice }: ServerChoice & { readonly reader: Pick<ReferenceReader, 'note'> },
): string {
  const { baseUrl, server = 1, documentUrl } = choice;
  const servers = lists.find((list): list is unknown[] => Array.isArray(list) && list.length > 0) ?? [];
  const chosen = servers[Math.min(server, servers.length) - 1];
  const written =
    isPlainObject(chosen) && typeof chosen['url'] === 'string'
      ? fillVariables(chosen['url'], chosen['variables'], choice.serverVariables ?? {})
      : '/';
  const isAbsolute = /^https?:\/\//i.test(written);
  if (baseUrl !== undefined)
    return withoutSlash(isAbsolute ? baseUrl : withoutVariables(URL.parse(written, baseUrl)?.href ?? baseUrl));
  // Parsing removes line breaks, which may be between "$" and "{".
  const url =
    isAbsolute || documentUrl === undefined
      ? written
      : withoutVariables(URL.parse(written, documentUrl)?.href ?? written);
  if (!/^https?:\/\//i.test(url)) {
    note('The document names no absolute server. Set BASE_URL, or import again with --server URL.');
    return withoutSlash(`\${BASE_URL}/${url.replace(/^\.?\/+/, '')}`);
  }
  if (servers.length > 1 && choice.server === undefined) {
    note(
      `The document names ${servers.length} servers; requests go to the first, ${url}. Another one: --server NUMBER.`,
    );
  }
  return withoutSlash(url);
}

/** Returns the part of an address that identifies the server: credentials for one are not for another. */
export function serverOrigin(url: string): string {
  return (/^https?:\/\/[^/]*/i.exec(url)?.[0] ?? url.split('/', 1)[0] ?? url).toLowerCase();
}

function fillVariables(url: string, variables: unknown, values: Readonly<Record<string, string>>): string {
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    if (Object.hasOwn(values, name)) return whole;
    const variable = isPlainObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isPlainObject(variable) ? variable['default'] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
  // Adjacent values must not form an environment variable. A value given by the user may be one.
  return withoutVariables(filled).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

/** Escapes an assembled address of the document: text that looks like a variable stays text. */
function withoutVariables(url: string): string {
  return escapeText(unescapeText(url));
}

function withoutSlash(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
}
