import { serversIn } from '../../../features/servers/server-sections.ts';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { KindHost, ToolEntry } from '../../../kinds/kind.ts';
import { isBroken } from '../../../kinds/broken.ts';
import { findFiles } from '../../../load/load-config.ts';
import { openFile } from '../../../load/load-file.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { agents } from '../../../features/agents/feature.ts';
import { mergeSections } from '../../../load/features/section.ts';
import { BUILT_IN_KINDS } from '../../../kinds/built-in-kinds.ts';
import type { Tool } from '../../../tool/tool.ts';
import { tryFindConfig } from '../../shared/board/find-config.ts';
import type { CliContext } from '../../shared/cli-context.ts';

const MAX_FILES = 200;

/** The names in a board's files, read without opening the board: runs no code and starts no server. */
export class KnownNames {
  readonly #files: readonly LoadedFile[];
  readonly #context: CliContext;

  constructor(given: readonly string[], context: CliContext) {
    this.#context = context;
    this.#files = readFiles(tryFindConfig(given, context) ?? [], context);
  }

  /** Returns the tools with their descriptions. */
  async tools(): Promise<ReadonlyMap<string, string>> {
    const own = this.#entries().flatMap(({ entry, names }) =>
      names.map((name) => [name, entry.metadata.description] as const),
    );
    const served = (await this.#served(new Set(own.map(([name]) => name)))).map(
      ({ metadata }) => [metadata.name, metadata.description] as const,
    );
    return new Map([...own, ...served]);
  }

  /** Returns a tool for its schema. It cannot be called. */
  async tool(name: string): Promise<Tool | undefined> {
    const found = this.#entries().findLast(({ names }) => names.includes(name));
    if (found !== undefined) {
      const made = await found.entry.kind.tools(found.entry, NO_HOST);
      const tools = 'tools' in made ? made.tools : made;
      return tools.find(({ metadata }) => metadata.name === name);
    }
    return (await this.#served(new Set())).find(({ metadata }) => metadata.name === name);
  }

  servers(): readonly string[] {
    return this.#files.flatMap((file) => Object.keys(serversIn(file)));
  }

  /** Returns the APIs and servers to log in to. */
  logins(): readonly string[] {
    const apis = this.#files.flatMap(({ entries }) =>
      entries.flatMap((entry) => (entry.kind.logins?.(entry) ?? []).map(({ name }) => name)),
    );
    return [...new Set([...apis, ...this.servers()])];
  }

  agents(): readonly string[] {
    return Object.keys(mergeSections(agents.sections, this.#files).agents?.value ?? {});
  }

  #entries(): readonly { readonly entry: ToolEntry; readonly names: readonly string[] }[] {
    return this.#files.flatMap(({ entries }) =>
      entries.flatMap((entry) => {
        // Some kinds know their tools only when these are made, such as tools in code.
        const names = isBroken(entry) ? undefined : entry.kind.names(entry.metadata.name, entry.settings);
        return names === undefined ? [] : [{ entry, names }];
      }),
    );
  }

  /** Returns the tools that servers last offered. */
  async #served(taken: ReadonlySet<string>): Promise<readonly Tool[]> {
    if (this.servers().length === 0) return [];
    const { openCachedServers, readServersOf } = await import('../../shared/board/list-servers.ts');
    const { servers } = readServersOf(this.#files, this.#context);
    const opened = await openCachedServers(servers, this.#files, this.#context);
    return opened.tools(taken).tools.map(({ tool }) => tool);
  }
}

/** An empty host: the tools are only inspected, never called. */
const NO_HOST = new Proxy({}, { get: () => () => undefined }) as KindHost;

/** Reads the files and their imports, without plugins. */
function readFiles(given: readonly string[], { cwd, env }: CliContext): LoadedFile[] {
  const kinds = new Map(BUILT_IN_KINDS.map((kind) => [kind.type, kind]));
  const files: LoadedFile[] = [];
  const seen = new Set<string>();
  const open = (path: string): void => {
    if (seen.has(path) || seen.size >= MAX_FILES) return;
    seen.add(path);
    try {
      const opened = openFile(readFileSync(path), path, { env, cwd, folder: dirname(path), mode: 'look' });
      for (const { pattern } of opened.imports) for (const file of findFiles(pattern, dirname(path))) open(file);
      files.push(opened.read({ kinds, providers: [], sections: undefined }));
    } catch {
      // An unreadable file has no names.
    }
  };
  for (const pattern of given) for (const file of findFiles(pattern, cwd)) open(resolve(cwd, file));
  return files;
}
