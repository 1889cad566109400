import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { writePrivateFile } from '../../../platform/store/private-file.ts';
import { type ClientConfig, formatClientConfig, type ServerEntry, tomlKey } from './client-configs.ts';
import { makeFolder } from '../../../platform/store/make-folder.ts';

/** A change of a client's file that is ready to be written. */
export interface PlannedInstall {
  readonly file: string;
  /** What the file will hold. */
  readonly text: string;
  /** Whether an entry of this name is there already. */
  readonly replaces: boolean;
  /** Writes it, after a copy of what was there; gives the copy's name. */
  write(): string | undefined;
}

/** Plans how the board gets into a client's file. Everything else in it stays. */
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
      // The copy may hold what was filled in before.
      if (copy !== undefined) writePrivateFile(copy, before);
      const mode = statSync(file, { throwIfNoEntry: false })?.mode;
      // Whole or not at all: a client may read it at any moment. A new file, for a link that lies there leads elsewhere.
      writePrivateFile(file, text);
      // Who may read it stays as it was, unless a token is in it now.
      if (mode !== undefined && !isSecret) chmodSync(file, mode & 0o777);
      return copy;
    },
  };
}

/** What is put into a client's file. */
interface Installation {
  readonly name: string;
  readonly server: ServerEntry;
  /** Whether a token is in it, which only this user may read. */
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

/** Values that a person filled in stay: variables, and the token in place of what stood for it. */
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
    throw unreadable(file, `has ${section} already`, addition);
  }
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return { text: `${before}${gap}${addition}\n`, replaces: false };
}

function unreadable(file: string, why: string, addition: string): ToolError {
  return new ToolError({
    code: 'execution_failed',
    message: `${file} ${why}, so it stays as it is. Put this into it yourself:\n${addition}`,
  });
}
