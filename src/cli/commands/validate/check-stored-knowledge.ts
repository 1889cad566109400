import { existsSync } from 'node:fs';
import { isPlainObject } from '../../../tool/json.ts';
import type { Diagnostic } from '../../../load/diagnostics/diagnostic.ts';
import { collectionsOf } from '../../../board/assembly/read-knowledge.ts';
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
    const { file, path } = placeOf(name, board);
    if (file === undefined) return [];
    return [{ severity: 'warning', file: file.file, path, message: problem.message, place: file.locate(path) }];
  });
  return (await Promise.all(found)).flat();
}

/** Finds the place of a collection: its own section, or the first tool that uses it. */
function placeOf(
  name: string,
  { files }: Board,
): { file: Board['files'][number] | undefined; path: (string | number)[] } {
  const own = ['rag', 'collections', name];
  const file = files.findLast(({ rag }) => isPlainObject(rag?.['collections']) && name in rag['collections']);
  if (file !== undefined) return { file, path: own };
  for (const other of files) {
    const use = other.entries.flatMap(collectionsOf).find((one) => one.name === name);
    if (use !== undefined) return { file: other, path: [...use.place] };
  }
  return { file: files.at(-1), path: ['rag'] };
}
