import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { commonKnowledge, packFolder } from './knowledge.ts';

/** A board for one command that comes with this package. */
export interface Pack {
  readonly name: string;
  /** The file as it comes with the package. */
  readonly text: string;
  /** Tells this version of the file from others. */
  readonly hash: string;
}

/** The names of all packs. */
export function packNames(): string[] {
  return readdirSync(packFolder())
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .toSorted();
}

/** Finds the pack that a word means: its name, or that of its command. */
export function findPack(word: string): string | undefined {
  const { packs } = commonKnowledge();
  const name = Object.hasOwn(packs, word) ? packs[word] : word;
  return packNames().find((pack) => pack === name);
}

/** Reads the file of a pack; the error for an unknown name lists the nearest ones. */
export function readPackFile(word: string): Pack {
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
  return { name, text, hash: hashText(text) };
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

/** Returns what people say when they need a command of a program, by the words of the command: `git push`. Empty for other programs. */
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
