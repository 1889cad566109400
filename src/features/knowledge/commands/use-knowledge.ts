import { valueOption } from '../../../cli/shared/command.ts';
import { resolve } from 'node:path';
import type { BoardStore } from '../../../platform/store/board-store.ts';
import { ConfigError } from '../../../load/diagnostics/diagnostic.ts';
import type { KnowledgeCollection } from '../../../knowledge/collection/knowledge-collection.ts';
import type { Knowledge } from '../../../knowledge/knowledge.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import type { BoardMode } from '../../../load/board-mode.ts';
import { findConfig } from '../../../cli/shared/board/find-config.ts';
import { lookMode } from '../../../cli/shared/board/trust.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { knowledgeDrivers } from '../../../load/plugins/define-plugin.ts';

/** The knowledge of a board, for commands without tools. */
export interface OpenedKnowledge {
  readonly knowledge: Knowledge;
  /** The folder to which document paths are relative. */
  readonly base: string;
  /** Returns the board's store, opened on first use. */
  records(): BoardStore;
}

/** Opens the collections of these files, runs the work and closes them, also after an error. */
export async function useKnowledge<T>(
  files: readonly string[],
  { context, mode = 'run' }: { readonly context: CliContext; readonly mode?: BoardMode },
  work: (opened: OpenedKnowledge) => Promise<T>,
): Promise<T> {
  const [
    { loadConfig },
    { readKnowledge },
    { knowledge: feature },
    { mergeSections },
    { homeFolder },
    { admitStore, findStorePlace },
    { Knowledge: Collections },
    { KnowledgePool },
    { openBoardStore },
  ] = await Promise.all([
    import('../../../load/load-config.ts'),
    import('../read-knowledge.ts'),
    import('../feature.ts'),
    import('../../../load/features/section.ts'),
    import('../../../load/data-folder.ts'),
    import('../../../load/data-folder.ts'),
    import('../../../knowledge/knowledge.ts'),
    import('../../../knowledge/knowledge-pool.ts'),
    import('../../../platform/store/open-board-store.ts'),
  ]);
  const { cwd, env } = context;
  const named = findConfig(files, context);
  const config = await loadConfig(named, { cwd, env, mode: mode === 'look' ? lookMode(named, context) : mode });
  const { rag } = mergeSections(feature.sections, config.files, cwd);
  const { plan, diagnostics } = readKnowledge(rag, config.files, knowledgeDrivers(config.plugins));
  // With a part of the knowledge disabled, these commands would search and store in the wrong place.
  const off = config.files.flatMap((file) => file.off.filter(({ path: [section] }) => section === 'rag'));
  const all = [...config.diagnostics, ...diagnostics].map((diagnostic) => {
    const isOff = off.some(({ path }) => path.every((key, index) => diagnostic.path[index] === key));
    return isOff ? { ...diagnostic, severity: 'error' as const } : diagnostic;
  });
  if (all.some(({ severity }) => severity === 'error')) throw new ConfigError(all);
  const base = resolve(homeFolder(config.files, cwd));
  const place = findStorePlace(config.files, { data: undefined, env, cwd });
  const { folder: data } = place;
  const knowledge = new Collections(plan, new KnowledgePool({ data, base }));
  let store: BoardStore | undefined;
  const open = (): BoardStore => {
    admitStore(place);
    return openBoardStore(place);
  };
  try {
    return await work({ knowledge, base, records: () => (store ??= open()) });
  } finally {
    await store?.close();
    await knowledge.close();
  }
}

/** Returns the named collection, or the only one. */
export function pickCollection(knowledge: Knowledge, name: string | undefined, command: string): KnowledgeCollection {
  const { names } = knowledge;
  const [only, ...others] = names;
  if (name !== undefined) return knowledge.collection(name);
  if (only === undefined) {
    throw new UsageError('The config has no collections. Add a tool with type: rag, or rag.collections.', command);
  }
  if (others.length > 0)
    throw new UsageError(`Name a collection: --collection must be one of: ${names.join(', ')}.`, command);
  return knowledge.collection(only);
}

export const COLLECTION_OPTION = {
  collection: valueOption('NAME', 'The collection (default: the only one of the config)', { short: 'c' }),
} as const;
