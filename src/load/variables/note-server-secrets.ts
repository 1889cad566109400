import { isPlainObject } from '../../tool/json.ts';
import type { FileContext } from '../file-context.ts';

const SECRET_FIELDS: ReadonlySet<string> = new Set(['client_secret', 'private_key', 'assertion', 'id_token']);

/** Stores the secrets in the servers of a file: variables, headers, URLs and arguments with secret names. */
export function noteServerSecrets(servers: unknown, context: FileContext): void {
  for (const [id, server] of Object.entries(isPlainObject(servers) ? servers : {})) {
    if (!isPlainObject(server)) continue;
    for (const [name, value] of pairsOf(server['env']))
      context.addSecrets(name, value, ['mcpServers', id, 'env', name]);
    for (const [name, value] of pairsOf(server['headers'])) {
      context.addLikelySecrets(name, value);
      // Servers repeat only the token.
      const token = /^(?:bearer|basic|token)\s+(\S+)$/i.exec(value)?.[1];
      if (token !== undefined) context.addLikelySecrets('token', token);
    }
    for (const [name, value] of pairsOf(server['oauth'])) {
      if (SECRET_FIELDS.has(name)) context.addLikelySecrets('secret', value);
    }
    const provider = isPlainObject(server['oauth']) ? server['oauth']['identity_provider'] : undefined;
    for (const [name, value] of pairsOf(provider))
      if (SECRET_FIELDS.has(name)) context.addLikelySecrets('secret', value);
    const url = typeof server['url'] === 'string' ? URL.parse(server['url']) : null;
    for (const [name, value] of url?.searchParams ?? []) context.addLikelySecrets(name, value);
    if (url !== null && url.password !== '') context.addLikelySecrets('password', url.password);
    const args = (Array.isArray(server['args']) ? server['args'] : []).map(String);
    for (const [index, arg] of args.entries()) {
      const [flag = '', joined] = arg.split(/=(.*)/s);
      if (!flag.startsWith('-')) continue;
      const value = joined ?? args[index + 1] ?? '';
      if (!value.startsWith('-')) context.addLikelySecrets(flag, value);
    }
  }
}

function pairsOf(value: unknown): [string, string][] {
  return Object.entries(isPlainObject(value) ? value : {}).map(([name, item]) => [name, String(item)]);
}
