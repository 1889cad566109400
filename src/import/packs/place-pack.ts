import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { load } from 'js-yaml';
import { isPlainObject } from '../../tool/json.ts';
import { readVersion } from '../../platform/own-package.ts';
import { hashText, type Pack } from './packs.ts';

/** The path of a board's copy of a pack, relative to its folder. */
export function packPath(name: string): string {
  return `packs/${name}.yaml`;
}

/** A decision about a board's copy of a pack. */
export interface PackPlacement {
  /** The text to write; `undefined` when the file stays as it is. */
  readonly text: string | undefined;
  /** Sentences for the person. */
  readonly notes: readonly string[];
}

/** Decides about the copy of a pack in a board's folder. A copy that a person changed stays unless `replace` is set; others are updated. */
export function placePack(pack: Pack, folder: string, { replace }: { readonly replace: boolean }): PackPlacement {
  const path = packPath(pack.name);
  const text = `${header(pack)}${pack.text}`;
  if (!existsSync(join(folder, path))) return { text, notes: [] };
  const old = readCopy(readFileSync(join(folder, path), 'utf8'));
  if (old.body === pack.text) return { text: undefined, notes: [`${path} is up to date.`] };
  const differences = compareTools(old.body, pack.text);
  if (replace || old.hash === hashText(old.body)) {
    return { text, notes: [`${path} was brought up to date: ${differences}.`] };
  }
  if (old.hash === pack.hash) {
    return { text: undefined, notes: [`${path} has changes of yours and stays. The pack is no newer.`] };
  }
  const how = `To take the pack's version instead: pegboard add pack:${pack.name} --replace`;
  return { text: undefined, notes: [`${path} has changes of yours and stays. In the pack: ${differences}. ${how}`] };
}

function header({ name, hash }: Pack): string {
  return `# Pack ${name} of pegboard ${readVersion()}, ${hash}. It is yours to change.\n`;
}

/** A copy without the line that says where it is from, and the hash on that line. */
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
    // A copy that cannot be read has no tools to compare.
    return new Map();
  }
  const tools = isPlainObject(value) && Array.isArray(value['tools']) ? value['tools'] : [];
  return new Map(tools.filter(isPlainObject).map((tool) => [String(tool['name']), tool]));
}
