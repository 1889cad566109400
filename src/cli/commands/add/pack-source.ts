import { describeTools, missingPrograms, packPath, placePack } from '../../packs/place-pack.ts';
import { readPack } from '../../packs/read-packs.ts';
import type { AddSource } from './add-source.ts';

const PREFIX = 'pack:';

/** `pegboard add pack:git`: a board for one command, as a copy in the board's folder. */
export const packSource: AddSource = {
  form: 'pack:NAME',
  summary: 'Tools for a well-known command that come with Pegboard; --list shows them',
  matches: (word) => word.startsWith(PREFIX),
  async plan(word, { folder, replace }, context) {
    const pack = await readPack(word.slice(PREFIX.length), context);
    const path = packPath(pack.name);
    const { text, notes } = placePack(pack, folder, { replace });
    return {
      summary: `pack ${pack.name}: ${describeTools(pack.tools)}`,
      files: text === undefined ? [] : [{ path, text }],
      changes: [{ section: 'import', append: [path] }],
      notes: [...notes, ...missingPrograms(pack, context)],
    };
  },
};
