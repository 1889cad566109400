import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { findOwnPackage } from '../../platform/own-package.ts';
import type { ArgumentRisk } from '../../tool/parameters/argument-risk.ts';
import type { PathForm } from '../../tool/parameters/find-values.ts';

/** Facts about arguments and commands of a program that its own pages omit or get wrong. */
interface ProgramFacts {
  /** The value is a path or has this form; `text` is never a path. */
  readonly path?: true | PathForm['form'] | PathForm | 'text';
  /** The risk that giving the argument, or some of its values, adds to a call. */
  readonly risk?: ArgumentRisk;
  /** The whole value must match. */
  readonly pattern?: string;
  /** The name of a value that is text. */
  readonly text?: string;
  /** The name of the argument. */
  readonly name?: string;
  readonly required?: false;
  readonly repeatable?: true;
  readonly omit?: true;
  /** Each call of the command needs approval. */
  readonly asks?: true;
}

/** A rule for programs, commands, flags and words, each a regular expression for the whole name. */
interface WrittenRule extends ProgramFacts {
  /** The words after the program; empty for the program itself. Default: any. */
  readonly command?: string;
  readonly flags?: string;
  /** Names of positionals, in any case. Default without `flags` and `values`: all. */
  readonly words?: string;
  /** Names of values of positionals and options, as on the page. */
  readonly values?: string;
}

/** A file of `packs/knowledge` about one program, or several similar ones. */
export interface ProgramFile {
  /** Default: the name of the file. */
  readonly programs?: string;
  readonly variables?: readonly string[];
  /** `manual`: the help is the source of a manual page. `letter`: subcommands print help only for `-h`. */
  readonly help?: 'manual' | 'letter';
  /** The form of values that are not known to be paths. */
  readonly other_values?: PathForm['form'];
  /** The subcommand used as an example in hints. */
  readonly example?: string;
  /** Flags that each call passes. */
  readonly always?: readonly string[];
  /** Options that no page lists, each in the notation of a page and with its description. */
  readonly options?: readonly (readonly [spec: string, description: string])[];
  /** False if positionals come before options. */
  readonly flags_first?: false;
  /** The variable that names the empty repository in which the program is asked for help. */
  readonly repository?: string;
  /** A pattern of help whose program accepts `--flag=value`, however the help writes it. */
  readonly joins_values?: string;
  readonly rules?: readonly WrittenRule[];
}

type Trait = 'destructive' | 'reads' | 'requests' | 'slow' | 'network' | 'remote' | 'packages' | 'halts';

/** The file `packs/knowledge/programs.yaml`, about many programs. */
interface CommonFile {
  readonly traits: Readonly<Record<Trait, string>>;
  readonly variables: Readonly<Record<string, readonly string[]>>;
  readonly common_variables: string;
  readonly other_variables: string;
  /** Variables with which programs are asked for help. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of packs, by other words for them. */
  readonly packs: Readonly<Record<string, string>>;
}

/** The file `packs/knowledge/words.yaml`: regular expressions by name, in sections for the ways to match. */
interface WordsFile {
  /** Whole words, as sources without the white space that wraps their lines. */
  readonly names: Readonly<Record<string, string>>;
  /** The same in any case. */
  readonly values: Readonly<Record<string, string>>;
  /** Parts of texts in any case: one of a list. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly cased_texts: Readonly<Record<string, readonly string[]>>;
}

interface Knowledge {
  readonly common: CommonFile;
  readonly words: ReadonlyMap<string, RegExp>;
  readonly files: readonly { readonly programs: RegExp; readonly file: ProgramFile }[];
}

const COMMON = 'programs.yaml';
const WORDS = 'words.yaml';
let known: Knowledge | undefined;
const patterns = new Map<string, RegExp>();

/** Returns the folder with this package's files about programs. */
export function packFolder(): string {
  return join(findOwnPackage().folder, 'packs');
}

/** Reads all files on first use. They come with this package, and a test checks their form. */
function readKnowledge(): Knowledge {
  if (known !== undefined) return known;
  const folder = join(packFolder(), 'knowledge');
  const read = (name: string): unknown => load(readFileSync(join(folder, name), 'utf8'));
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== COMMON && name !== WORDS);
  known = {
    // A test checks its form.
    common: read(COMMON) as CommonFile,
    // A test checks its form.
    words: compileWords(read(WORDS) as WordsFile),
    files: names.toSorted().map((name) => {
      // A test checks its form.
      const file = read(name) as ProgramFile;
      return { programs: oneOf(file.programs ?? name.slice(0, -'.yaml'.length)), file };
    }),
  };
  return known;
}

function compileWords({ names, values, texts, cased_texts: cased }: WordsFile): ReadonlyMap<string, RegExp> {
  const compile = (
    section: Readonly<Record<string, string | readonly string[]>>,
    toPattern: (source: string) => RegExp,
  ): [string, RegExp][] =>
    Object.entries(section).map(([name, source]) => [name, toPattern([source].flat().join('|'))]);
  return new Map([
    ...compile(names, (source) => whole(source.replaceAll(/\s+/g, ''))),
    ...compile(values, (source) => whole(source.replaceAll(/\s+/g, ''), 'i')),
    ...compile(texts, (source) => new RegExp(source, 'i')),
    ...compile(cased, (source) => new RegExp(source)),
  ]);
}

/** True when a word or a text matches a pattern of `words.yaml`. */
export function matches(name: string, text: string): boolean {
  return matcher(name).test(text);
}

/** Returns a test for words. */
export function matching(name: string): (word: string) => boolean {
  const found = matcher(name);
  return (word) => found.test(word);
}

/** Returns the part of a text that matches. */
export function matched(name: string, text: string): string | undefined {
  return matcher(name).exec(text)?.[0];
}

/** Returns a pattern of `words.yaml`. */
export function matcher(name: string): RegExp {
  const found = readKnowledge().words.get(name);
  if (found === undefined) throw new Error(`packs/knowledge/${WORDS} has no pattern "${name}".`);
  return found;
}

/** Returns the facts about many programs. */
export function commonKnowledge(): CommonFile {
  return readKnowledge().common;
}

/** Returns the files about a program, given by its name or path. */
export function knowledgeOf(program: string): readonly ProgramFile[] {
  const name = baseName(program);
  return readKnowledge().files.flatMap(({ programs, file }) => (programs.test(name) ? [file] : []));
}

/** Returns the first value for a key in the files about a program. */
export function knownOf<K extends keyof ProgramFile>(program: string, key: K): ProgramFile[K] | undefined {
  return knowledgeOf(program).find((file) => file[key] !== undefined)?.[key];
}

/** True when a program, given by its name or path, has a trait. */
export function hasTrait(program: string, trait: Trait): boolean {
  return oneOf(commonKnowledge().traits[trait]).test(baseName(program));
}

/** True when a help text belongs to a program whose options are known to accept `--flag=value`. */
export function isKnownToJoin(text: string): boolean {
  return readKnowledge().files.some(({ file }) => file.joins_values && new RegExp(file.joins_values, 'm').test(text));
}

/** The names of an argument: flags of an option or names of a positional; and the names of its value. */
export interface ArgumentNames {
  readonly flags?: readonly string[];
  readonly words?: readonly string[];
  readonly values?: readonly string[];
}

/** Finds a fact about an argument of a command, or about the command itself; the first matching rule wins. */
export function findFact<K extends keyof ProgramFacts>(
  [program = '', ...below]: readonly string[],
  fact: K,
  { flags = [], words, values = [] }: ArgumentNames = { words: [''] },
): ProgramFacts[K] | undefined {
  const command = below.join(' ');
  const fits = (rule: WrittenRule): boolean => {
    if (rule[fact] === undefined || (rule.command !== undefined && !whole(rule.command).test(command))) return false;
    if (rule.flags !== undefined) return flags.some((flag) => whole(rule.flags ?? '').test(flag));
    if (rule.values !== undefined) return values.some((name) => whole(rule.values ?? '').test(name));
    return words?.some((name) => whole(rule.words ?? '.*', 'i').test(name)) ?? false;
  };
  for (const { rules = [] } of knowledgeOf(program)) {
    const rule = rules.find(fits);
    if (rule !== undefined) return rule[fact];
  }
  return undefined;
}

/** Returns a pattern for one of these names, separated by spaces. */
export function oneOf(names: string): RegExp {
  return whole(names.trim().split(/\s+/).join('|'));
}

function whole(source: string, how = ''): RegExp {
  const key = `${how} ${source}`;
  const made = patterns.get(key) ?? new RegExp(`^(?:${source})$`, how);
  patterns.set(key, made);
  return made;
}

function baseName(program: string): string {
  return program.split('/').at(-1) ?? program;
}
