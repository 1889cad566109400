import { existsSync } from 'node:fs';
import type { Diagnostic } from '../../../load/diagnostics/diagnostic.ts';
import { mergeSections } from '../../../load/features/section.ts';
import { knowledge as knowledgeFeature } from '../../../features/knowledge/feature.ts';
import { collectionsOf } from '../../../features/knowledge/read-knowledge.ts';
import type { Board } from '../../../board/board.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** Warns about collections whose stored vectors do not match the config. Checks only stores in local files. */
export async function checkStoredKnowledge(board: Board): Promise<Diagnostic[]> {
  const knowledge = await board.knowledge();
  const found = knowledge.names.map(async (name): Promise<Diagnostic[]> => {
    const collection = knowledge.collection(name);
    if (collection.plan.server.driver !== 'sqlite' || !existsSync(collection.place)) return [];
    // An unreadable file is also worth a warning.
    const problem = await collection.problem().catch((error: unknown) => ({ message: messageOf(error) }));
    if (problem === undefined) return [];
    return warn(name, problem.message, board.files);
  });
  return (await Promise.all(found)).flat();
}

/** Warns about a collection at its own section, or at the first tool that uses it. */
function warn(name: string, message: string, files: Board['files']): Diagnostic[] {
  const { rag } = mergeSections(knowledgeFeature.sections, files);
  const own = rag.findLast(({ value: { collections = {} } }) => name in collections);
  if (own !== undefined) return [own.at(['collections', name], message, 'warning')];
  const uses = files.flatMap((file) => file.entries.flatMap(collectionsOf).map((use) => ({ ...use, file })));
  const { file = files.at(-1), place: path = ['rag'] } = uses.find((use) => use.name === name) ?? {};
  return file === undefined ? [] : [{ severity: 'warning', file: file.file, path, message, place: file.locate(path) }];
}
