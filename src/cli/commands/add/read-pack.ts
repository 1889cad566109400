import { type Pack, readPackFile } from '../../../import/packs/packs.ts';
import { loadFile } from '../../../load/load-file.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { ToolRisk } from '../../../tool/tool-metadata.ts';
import { findProgram, installHint } from '../../board/programs.ts';
import type { CliContext } from '../../cli-context.ts';

export interface ReadPack extends Pack {
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
export function missingPrograms({ programs }: ReadPack, context: CliContext): string[] {
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
