import { isPlainObject } from '../../tool/json.ts';
import type { ReferenceReader } from './reference-reader.ts';

/** The address an operation's paths are added to, without a final slash. */
export function serverUrl(
  lists: readonly unknown[],
  baseUrl: string | undefined,
  { note }: Pick<ReferenceReader, 'note'>,
): string {
  const servers = lists.find((list): list is unknown[] => Array.isArray(list) && list.length > 0) ?? [];
  const [first] = servers;
  const url =
    isPlainObject(first) && typeof first['url'] === 'string' ? fillVariables(first['url'], first['variables']) : '/';
  const isAbsolute = /^https?:\/\//i.test(url);
  if (baseUrl !== undefined) return withoutSlash(isAbsolute ? baseUrl : (URL.parse(url, baseUrl)?.href ?? baseUrl));
  if (!isAbsolute) {
    note('The document names no absolute server. Set BASE_URL, or import again with a base URL.');
    return withoutSlash(`\${BASE_URL}/${url.replace(/^\.?\/+/, '')}`);
  }
  if (servers.length > 1) note(`The document names ${servers.length} servers; requests go to the first, ${url}.`);
  return withoutSlash(url);
}

function fillVariables(url: string, variables: unknown): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isPlainObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isPlainObject(variable) ? variable['default'] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}

function withoutSlash(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
}
