import { basename } from 'node:path';
import type { CliContext } from '../../shared/cli-context.ts';
import { packPath, placePack, type Pack, readPackFile } from '../../../import/packs/packs.ts';
import type { AddSource, AddTarget } from './add-source.ts';
import { readBoardTools } from './board-tools.ts';
import { loadFile } from '../../../load/load-file.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { ToolRisk } from '../../../tool/tool-metadata.ts';
import { findProgram, installHint } from '../../shared/board/programs.ts';

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

interface ReadPack extends Pack {
  /** A one-line description. */
  readonly description: string;
  readonly tools: readonly { readonly name: string; readonly risk: ToolRisk }[];
  /** The programs that its tools run. */
  readonly programs: readonly string[];
}

export async function readPack(word: string, context: CliContext): Promise<ReadPack> {
  const pack = readPackFile(word);
  const { description, entries } = loadFile(Buffer.from(pack.text), `${pack.name}.yaml`, { env: {} });
  const tools = entries.map(({ metadata }) => ({ name: metadata.name, risk: metadata.risk ?? 'write' }));
  const found = await Promise.all(entries.map(async (entry) => (await entry.kind.doctor?.(entry, context)) ?? []));
  const programs = found.flat().flatMap((finding) => (finding.need === 'command' ? [finding.name] : []));
  return { ...pack, description, tools, programs: [...new Set(programs)] };
}

/** Lists programs that a pack needs and this machine lacks, with install commands. */
function missingPrograms({ programs }: ReadPack, context: CliContext): string[] {
  return programs
    .filter((program) => findProgram(program, context) === undefined)
    .map((program) => {
      const hint = installHint(program);
      return `${program} is not in PATH${hint === undefined ? '.' : `. Install it: ${hint}`}`;
    });
}

/** `12 tools (8 read, 3 write, 1 destructive)` */
export function describeTools(tools: ReadPack['tools']): string {
  const counts = (['read', 'write', 'destructive'] as const).flatMap((risk) => {
    const count = tools.filter((tool) => tool.risk === risk).length;
    return count === 0 ? [] : [`${count} ${risk}`];
  });
  return `${counted(tools.length, 'tool')} (${counts.join(', ')})`;
}
