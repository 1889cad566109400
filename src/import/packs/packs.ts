import { load } from 'js-yaml';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readVersion } from '../../platform/own-package.ts';
import { isPlainObject } from '../../tool/json.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { commonKnowledge, packFolder } from './knowledge.ts';

/** A board for one command that comes with this package. */
export interface Pack {
  readonly name: string;
  readonly text: string;
  /** Identifies this version of the file. */
  readonly hash: string;
}

export function packNames(): string[] {
  return readdirSync(packFolder())
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .toSorted();
}

/** Finds a pack by its name or that of its command. */
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

/** Returns the variables that are passed to the tools of a program's pack. Empty if there is no pack. */
export function packVariables(program: string): string[] {
  const name = findPack(program);
  if (name === undefined) return [];
  const data = load(readFileSync(join(packFolder(), `${name}.yaml`), 'utf8'));
  const tools: unknown = isPlainObject(data) ? data['tools'] : undefined;
  const passed = Array.isArray(tools) ? tools.flatMap((tool) => (isPlainObject(tool) ? tool['env_pass'] : [])) : [];
  return [...new Set(passed.filter((variable) => typeof variable === 'string'))];
}

/** Returns user requests for the commands of a program, by the words of the command: `git push`. Empty for other programs. */
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

/** Returns a short hash that reveals whether a file was changed. */
function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Returns the path of a board's copy of a pack, relative to its folder. */
export function packPath(name: string): string {
  return `packs/${name}.yaml`;
}

/** A decision about a board's copy of a pack. */
export interface PackPlacement {
  /** The text to write; `undefined` if the file stays unchanged. */
  readonly text: string | undefined;
  /** Sentences for the user. */
  readonly notes: readonly string[];
}

/**
 * Decides about the copy of a pack in a board's folder. A copy that a person changed stays unless `replace` is set; others are
 * updated.
 */
export function placePack(pack: Pack, folder: string, { replace }: { readonly replace: boolean }): PackPlacement {
  const path = packPath(pack.name);
  const text = `${header(pack)}${pack.text}`;
  if (!existsSync(join(folder, path))) return { text, notes: [] };
  const old = readCopy(readFileSync(join(folder, path), 'utf8'));
  if (old.body === pack.text) return { text: undefined, notes: [`${path} is up to date.`] };
  const differences = compareTools(old.body, pack.text);
  if (replace || old.hash === hashText(old.body)) {
    return { text, notes: [`${path} was updated: ${differences}.`] };
  }
  if (old.hash === pack.hash) {
    return { text: undefined, notes: [`${path} was changed by you and stays unchanged. The pack is no newer.`] };
  }
  const how = `To take the pack's version instead: pegboard add pack:${pack.name} --replace`;
  return {
    text: undefined,
    notes: [`${path} was changed by you and stays unchanged. In the pack: ${differences}. ${how}`],
  };
}

function header({ name, hash }: Pack): string {
  return `# Pack ${name} of pegboard ${readVersion()}, ${hash}. You may change it.\n`;
}

/** Splits a copy into its text and the hash in its first line. */
function readCopy(text: string): { readonly body: string; readonly hash: string | undefined } {
  const first = /^# Pack \S+ of pegboard \S+, ([0-9a-f]{16})\. .*\r?\n/.exec(text);
  return { body: text.slice(first?.[0].length ?? 0), hash: first?.[1] };
}

/** `git_log differs; git_tags is new; git_push is not in it` */
function compareTools(old: string, now: string): string {
  const [mine, theirs] = [toolsIn(old), toolsIn(now)];
  const names = (keep: (name: string) => boolean, from: typeof mine): string =>
    [...from.keys()].filter(keep).join(', ');
  const parts: (readonly [string, string])[] = [
    [names((name) => mine.has(name) && !isDeepStrictEqual(mine.get(name), theirs.get(name)), theirs), 'changed'],
    [names((name) => !mine.has(name), theirs), 'new'],
    [names((name) => !theirs.has(name), mine), 'gone'],
  ];
  const told = parts.flatMap(([list, how]) => (list === '' ? [] : [`${how}: ${list}`]));
  return told.length === 0 ? 'only its comments or its settings for all tools differ' : told.join('; ');
}

function toolsIn(text: string): Map<string, unknown> {
  let value: unknown;
  try {
    value = load(text);
  } catch {
    // A copy that cannot be parsed has no tools to compare.
    return new Map();
  }
  const tools = isPlainObject(value) && Array.isArray(value['tools']) ? value['tools'] : [];
  return new Map(tools.filter(isPlainObject).map((tool) => [String(tool['name']), tool]));
}
