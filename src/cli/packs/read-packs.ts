import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { DoctorContext } from '../../kinds/kind.ts';
import { loadFile } from '../../load/load-file.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { findOwnPackage } from '../../platform/own-package.ts';

/** A board for one command that comes with this package. */
export interface Pack {
  readonly name: string;
  /** What it is for, in a line. */
  readonly description: string;
  /** The file as it comes with the package. */
  readonly text: string;
  /** What tells this version of the file from others. */
  readonly hash: string;
  readonly tools: readonly { readonly name: string; readonly risk: ToolRisk }[];
  /** The programs that its tools start. */
  readonly programs: readonly string[];
}

/** The names of all packs. */
export function packNames(): string[] {
  return readdirSync(packFolder())
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .toSorted();
}

/** What people call what a pack is for. */
const ALIASES: Readonly<Record<string, string>> = {
  rg: 'ripgrep',
  systemctl: 'systemd',
  journalctl: 'systemd',
  ffprobe: 'ffmpeg',
  sqlite: 'sqlite3',
  postgres: 'psql',
  postgresql: 'psql',
  kubernetes: 'kubectl',
  github: 'gh',
};

/** The pack that a word means: its name, or that of its command. */
export function findPack(word: string): string | undefined {
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word;
  return packNames().find((pack) => pack === name);
}

/** Reads a pack; an unknown name is answered with the nearest ones. */
export async function readPack(word: string, context: DoctorContext): Promise<Pack> {
  const name = findPack(word);
  if (name === undefined) {
    const names = packNames();
    const near = nearestNames(word, names);
    const hint = near.length === 0 ? `Use one of: ${names.join(', ')}.` : `Did you mean ${near.join(' or ')}?`;
    throw new ToolError({
      code: 'not_found',
      message: `There is no pack "${word}". ${hint} "pegboard add --list" shows all.`,
    });
  }
  const text = readFileSync(join(packFolder(), `${name}.yaml`), 'utf8');
  const { description, entries } = loadFile(Buffer.from(text), `${name}.yaml`, { env: {} });
  const tools = entries.map(({ metadata }) => ({ name: metadata.name, risk: metadata.risk ?? 'write' }));
  const found = await Promise.all(entries.map(async (entry) => (await entry.kind.doctor?.(entry, context)) ?? []));
  const programs = found.flat().flatMap((finding) => (finding.need === 'command' ? [finding.name] : []));
  return { name, description, text, hash: hashText(text), tools, programs: [...new Set(programs)] };
}

/** The variables of the board that the tools of a program's pack see. Empty where there is no pack for it. */
export function packVariables(program: string): string[] {
  const name = findPack(program);
  if (name === undefined) return [];
  const data = load(readFileSync(join(packFolder(), `${name}.yaml`), 'utf8'));
  const tools: unknown = isPlainObject(data) ? data['tools'] : undefined;
  const passed = Array.isArray(tools) ? tools.flatMap((tool) => (isPlainObject(tool) ? tool['env_pass'] : [])) : [];
  return [...new Set(passed.filter((variable) => typeof variable === 'string'))];
}

/**
 * What people say when they need a command of a program, by the words of the command, such as `git push`. Written by hand, in one place
 * for packs and imports. Empty for other programs.
 */
export function packUtterances(program: string): ReadonlyMap<string, readonly string[]> {
  const file = join(packFolder(), 'utterances', `${program}.yaml`);
  if (!/^[\w-]+$/.test(program) || !existsSync(file)) return new Map();
  const data = load(readFileSync(file, 'utf8'));
  const entries = isPlainObject(data) ? Object.entries(data) : [];
  return new Map(
    entries.map(([command, said]): [string, string[]] => [
      command,
      Array.isArray(said) ? said.filter((utterance) => typeof utterance === 'string') : [],
    ]),
  );
}

/** A short hash, to see whether a file was changed. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function packFolder(): string {
  return join(findOwnPackage().folder, 'packs');
}
