import { basename } from 'node:path';
import type { CliContext } from '../../cli-context.ts';
import { packPath, placePack } from '../../../import/packs/packs.ts';
import type { AddSource, AddTarget } from './add-source.ts';
import { readBoardTools } from './board-tools.ts';
import { describeTools, missingPrograms, type ReadPack, readPack } from './read-pack.ts';

const PREFIX = 'pack:';

/** `pegboard add pack:git`: copies a pack into the board's folder. */
export const packSource: AddSource = {
  form: 'pack:NAME',
  summary: 'tools for a well-known command that come with Pegboard; see --list',
  matches: (word) => word.startsWith(PREFIX),
  async plan(word, target, context) {
    const { folder, replace } = target;
    const pack = await readPack(word.slice(PREFIX.length), context);
    const path = packPath(pack.name);
    const { text, notes } = placePack(pack, folder, { replace });
    return {
      summary: `pack ${pack.name}: ${describeTools(pack.tools)}`,
      files: text === undefined ? [] : [{ path, text }],
      changes: [{ section: 'import', append: [path] }],
      notes: [...notes, ...noteNames(pack, target, context), ...missingPrograms(pack, context)],
    };
  },
};

/** Notes about tools with the same name: a file takes precedence over its imports, and a later import over earlier ones. */
function noteNames({ name, tools }: ReadPack, target: AddTarget, { cwd }: CliContext): string[] {
  const path = packPath(name);
  const { places, files } = readBoardTools(target, cwd);
  const own = basename(target.shown);
  const both = tools.flatMap((tool) => {
    const place = places.get(tool.name);
    return place === undefined || place === path ? [] : [{ tool: tool.name, place }];
  });
  const rest = "Rename or remove it there to use the pack's tool.";
  const hidden = both.filter(({ place }) => place === own);
  // Files that are already imported keep their position.
  const others = files.has(path)
    ? []
    : [
        ...Map.groupBy(
          both.filter(({ place }) => place !== own),
          ({ place }) => place,
        ),
      ];
  return [
    ...hidden.map(({ tool }) => `${target.shown} has its own tool ${tool}, which takes precedence. ${rest}`),
    ...others.map(([place, found]) => {
      const names = found.map(({ tool }) => tool).join(', ');
      return `These tools of the pack now replace those of ${place}: ${names}. Remove them there.`;
    }),
  ];
}
