import { basename } from 'node:path';
import { isPlainObject } from '../../../../tool/json.ts';
import { tidyServer, type WrittenServer } from '../server-entry.ts';
import { toVariable } from '../hide-secrets.ts';
import type { Machine, McpClient } from '../../../../cli/shared/clients/clients.ts';
import { isOwnEntry } from '../../../../cli/shared/clients/own-entry.ts';

/** A client's entry converted for a board, or the reason why it was skipped. */
export type ConvertedServer =
  | { readonly type: 'server'; readonly entry: WrittenServer }
  | { readonly type: 'skipped'; readonly reason: string };

interface Reading {
  readonly client: Pick<McpClient, 'syntax' | 'url'>;
  readonly machine: Pick<Machine, 'home' | 'platform'>;
  /** The value of the client's variable for the folder of its window. */
  readonly workspace: string;
}

/** Converts an entry of a client's file. Drops settings that only concern the client. */
export function toServer(value: unknown, reading: Reading): ConvertedServer {
  if (!isPlainObject(value)) return { type: 'skipped', reason: 'its entry is not an object' };
  // Older versions of Zed nest the command in an object.
  const { command: nested } = value;
  const said = isPlainObject(nested) ? { ...value, ...nested, command: nested['path'] } : value;
  const text = (key: string): string | undefined => toText(said[key], reading);
  const texts = (key: string): Record<string, string> => {
    const entries = Object.entries(isPlainObject(said[key]) ? said[key] : {});
    return Object.fromEntries(entries.flatMap(([name, item]) => pair(name, toText(item, reading))));
  };
  const list = (...keys: readonly string[]): string[] | undefined => {
    const found = keys.map((key) => said[key]).find((item) => Array.isArray(item));
    return Array.isArray(found) ? found.flatMap((item: unknown) => toText(item, reading) ?? []) : undefined;
  };
  const url = text('httpUrl') ?? text('url') ?? text('serverUrl');
  const command = text('command');
  if (isOwnEntry(value)) return { type: 'skipped', reason: 'it is Pegboard itself' };
  const isOff = said['disabled'] === true || said['enabled'] === false;
  const common = {
    include: list('enabled_tools', 'includeTools'),
    exclude: list('disabled_tools', 'disabledTools', 'excludeTools'),
    start_timeout: toSeconds(said['startup_timeout_sec']),
    timeout: toSeconds(said['tool_timeout_sec']),
    disabled: isOff ? (true as const) : undefined,
  };
  if (command !== undefined) {
    const entry = {
      command,
      args: list('args'),
      env: texts('env'),
      env_pass: passed(said['env_vars']),
      cwd: text('cwd'),
    };
    return { type: 'server', entry: tidyServer({ ...entry, ...common }) };
  }
  if (url === undefined) return { type: 'skipped', reason: 'it has neither a command nor an address' };
  const isOld =
    said['type'] === 'sse' ||
    said['transport'] === 'sse' ||
    (said['httpUrl'] === undefined && reading.client.url === 'sse') ||
    (said['type'] === undefined && /\/sse\/?(?:\?|$)/.test(url));
  const headers = { ...texts('headers'), ...texts('http_headers'), ...fromVariables(said) };
  const type = isOld ? ('sse' as const) : undefined;
  return { type: 'server', entry: tidyServer({ type, url, headers, ...common }) };
}

/** Reads the headers that Codex takes from variables. */
function fromVariables(said: Readonly<Record<string, unknown>>): Record<string, string> {
  const { bearer_token_env_var: token, env_http_headers: headers } = said;
  return {
    ...(typeof token === 'string' && isVariable(token) ? { Authorization: `Bearer \${${token}}` } : {}),
    ...Object.fromEntries(
      Object.entries(isPlainObject(headers) ? headers : {}).flatMap(([name, variable]) =>
        typeof variable === 'string' && isVariable(variable) ? [[name, `\${${variable}}`] as const] : [],
      ),
    ),
  };
}

function passed(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item: unknown) => {
    const name = isPlainObject(item) ? item['name'] : item;
    return typeof name === 'string' && isVariable(name) ? [name] : [];
  });
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

function toSeconds(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function pair(name: string, value: string | undefined): (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]];
}

/** Converts the variables in a text to the syntax of a board, and escapes text that only looks like one. */
function toText(value: unknown, { client: { syntax }, ...reading }: Reading): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  if (syntax === 'none') return value.replaceAll('${', () => '$${');
  if (syntax === 'shell') {
    const known = /\$\{([A-Za-z_]\w*(?::-[^${}]*)?)\}|\$([A-Za-z_]\w*)|\$\{/g;
    return value.replaceAll(known, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare;
      return name === undefined ? '$${' : `\${${name}}`;
    });
  }
  return value.replaceAll(
    /\$\{([^${}]*)\}|\$\{/g,
    (whole, inner?: string) => toVariableOf(inner, reading) ?? `$${whole}`,
  );
}

function toVariableOf(
  inner: string | undefined,
  { machine: { home, platform }, workspace }: Omit<Reading, 'client'>,
): string | undefined {
  const [, kind = '', name = ''] = /^(env|input):(.+)$/.exec(inner ?? '') ?? [];
  if (kind === 'env' && isVariable(name)) return `\${${name}}`;
  if (kind === 'input') return `\${${toVariable(name)}}`;
  switch (inner) {
    case 'userHome':
      return home;
    case 'workspaceFolder':
    case 'workspaceRoot':
      return workspace;
    case 'workspaceFolderBasename':
      return workspace.startsWith('${') ? undefined : basename(workspace);
    case 'pathSeparator':
    case '/':
      return platform === 'win32' ? '\\' : '/';
    default:
      return undefined;
  }
}
