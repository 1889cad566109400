import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { writePrivateFile, makeFolder } from '../../../../platform/store/private-file.ts';
import { type ClientConfig, formatClientConfig, type ServerEntry, tomlKey } from './client-configs.ts';

/** A planned change of a client's file. */
export interface PlannedInstall {
  readonly file: string;
  /** The new contents of the file. */
  readonly text: string;
  /** True when an entry with this name exists. */
  readonly replaces: boolean;
  /** Writes the file after a backup. Returns the path of the backup. */
  write(): string | undefined;
}

/** Plans adding the board to a client's file. The rest of the file stays. */
export function planInstall(
  client: ClientConfig,
  file: string,
  { name, server, isSecret = false }: Installation,
): PlannedInstall {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const { text, replaces } =
    client.format === 'json'
      ? addToJson(client, before, { file, name, server })
      : addToToml(client, before, { file, name, server });
  return {
    file,
    text,
    replaces,
    write() {
      makeFolder(dirname(file));
      const copy = before === '' ? undefined : `${file}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.bak`;
      // The backup may contain secrets that were filled in.
      if (copy !== undefined) writePrivateFile(copy, before);
      const mode = statSync(file, { throwIfNoEntry: false })?.mode;
      // Written atomically, because a client may read it at any time, and as a new file, in case it is a link.
      writePrivateFile(file, text);
      // Keeps the permissions, unless the file now contains a token.
      if (mode !== undefined && !isSecret) chmodSync(file, mode & 0o777);
      return copy;
    },
  };
}

interface Installation {
  readonly name: string;
  readonly server: ServerEntry;
  /** True when the entry contains a token, which only this user may read. */
  readonly isSecret?: boolean;
}

interface Addition {
  readonly file: string;
  readonly name: string;
  readonly server: ServerEntry;
}

function addToJson(
  client: ClientConfig,
  before: string,
  { file, name, server }: Addition,
): Pick<PlannedInstall, 'text' | 'replaces'> {
  let config: unknown;
  try {
    config = before.trim() === '' ? {} : JSON.parse(before);
  } catch {
    throw unreadable(file, 'is not plain JSON (comments perhaps)', formatClientConfig(client, name, server));
  }
  const servers = isPlainObject(config) ? (config[client.section] ?? {}) : undefined;
  if (!isPlainObject(config) || !isPlainObject(servers)) {
    throw unreadable(file, `has no object "${client.section}"`, formatClientConfig(client, name, server));
  }
  const next = { ...config, [client.section]: { ...servers, [name]: keepValues(client.entry(server), servers[name]) } };
  return { text: `${JSON.stringify(next, undefined, 2)}\n`, replaces: Object.hasOwn(servers, name) };
}

/** Keeps values that a person filled in: variables, and the token in place of its placeholder. */
function keepValues(entry: Readonly<Record<string, unknown>>, before: unknown): Readonly<Record<string, unknown>> {
  const known = isPlainObject(before) ? before : {};
  const keep = (key: 'env' | 'headers'): Readonly<Record<string, unknown>> => {
    const [now, then] = [entry[key], known[key]];
    return isPlainObject(now) && isPlainObject(then) ? { [key]: { ...now, ...then } } : {};
  };
  const standsForToken = JSON.stringify(entry['headers'] ?? {}).includes('Bearer YOUR_');
  return { ...entry, ...keep('env'), ...(standsForToken ? keep('headers') : {}) };
}

function addToToml(
  client: ClientConfig,
  before: string,
  { file, name, server }: Addition,
): Pick<PlannedInstall, 'text' | 'replaces'> {
  const section = `[${client.section}.${tomlKey(name)}]`;
  const addition = formatClientConfig(client, name, server);
  if (before.split('\n').some((line) => line.trim() === section)) {
    throw unreadable(file, `already has ${section}`, addition);
  }
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return { text: `${before}${gap}${addition}\n`, replaces: false };
}

function unreadable(file: string, why: string, addition: string): ToolError {
  return new ToolError({
    code: 'execution_failed',
    message: `${file} ${why}, so it was not changed. Add this yourself:\n${addition}`,
  });
}
