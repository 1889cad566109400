import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { describeTools, missingPrograms, packPath, placePack } from '../../packs/place-pack.ts';
import { type Pack, readPack } from '../../packs/read-packs.ts';
import type { AddSource } from './add-source.ts';

const PREFIX = 'pack:';

/** `pegboard add pack:git`: a board for one command, as a copy in the board's folder. */
export const packSource: AddSource = {
  form: 'pack:NAME',
  summary: 'Tools for a well-known command that come with Pegboard; --list shows them',
  matches: (word) => word.startsWith(PREFIX),
  async plan(word, { folder, shown, replace }, context) {
    const pack = await readPack(word.slice(PREFIX.length), context);
    const path = packPath(pack.name);
    const { text, notes } = placePack(pack, folder, { replace });
    return {
      summary: `pack ${pack.name}: ${describeTools(pack.tools)}`,
      files: text === undefined ? [] : [{ path, text }],
      changes: [{ section: 'import', append: [path] }],
      notes: [...notes, ...noteNames(pack, resolve(context.cwd, shown), shown), ...missingPrograms(pack, context)],
    };
  },
};

/** A file wins over what it imports: tools of the pack that stay hidden behind those of the board's own file. */
function noteNames({ tools }: Pack, board: string, shown: string): string[] {
  const value: unknown = existsSync(board) ? readYaml(readFileSync(board), shown).value : undefined;
  const own = isPlainObject(value) && Array.isArray(value['tools']) ? value['tools'].filter(isPlainObject) : [];
  const both = tools.map(({ name }) => name).filter((name) => own.some((tool) => tool['name'] === name));
  const rest = 'Rename or remove it there to have that of the pack.';
  return both.map((name) => `${shown} has a tool ${name} of its own, which wins. ${rest}`);
}
