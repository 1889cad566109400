import type { ArgumentRisk } from '../../../tool/parameters/argument-risk.ts';
import type { PathForm } from '../../../tool/parameters/find-values.ts';
import { findFact, knownOf, matches, matching } from '../../packs/knowledge.ts';
import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';

/** The text of the page of a user's own command. */
export interface ScriptText {
  readonly text: string;
}

/** Joins the descriptions of a command and all its arguments. */
export function toScriptText({ summary, details = '', options, positionals, examples }: CommandPage): ScriptText {
  const told = [...options, ...positionals].map(({ description }) => description);
  return { text: [summary, details, ...told, ...examples.map(({ line }) => line)].join('\n') };
}

/** True when a value's name says only that it is a value. */
export function isAnyName(name: string): boolean {
  return matches('any_name', name);
}

/**
 * True when the value of an option may be a local path. Unknown values count as paths, because a wrong mark only restricts calls;
 * but in the help of a library for users' own commands (`script`), names and texts decide.
 */
export function mayBePath({ flags, name: own, value, description }: PageOption, script?: ScriptText): boolean {
  if (value === undefined || value.choices.length > 0) return false;
  const name = own ?? (flags[0] ?? '').replaceAll(/^-+|[=:]$/g, '');
  return decide([value.name, name], description, script);
}

/** True when a positional may be a local path; words of another command line belong to that command. */
export function mayBePathWord({ name, choices, description, tail }: PagePositional, script?: ScriptText): boolean {
  if (choices.length > 0 || (tail === true && matches('command_line_word', name))) return false;
  return decide([name], description, script);
}

/** True when a page clearly describes a value as a path. */
function isSurelyPath(names: readonly string[], description: string): boolean {
  return names.some(matching('path_name')) || matches('path_text', description);
}

function decide(names: readonly string[], description: string, script: ScriptText | undefined): boolean {
  if (isSurelyPath(names, description)) return true;
  // `--workdir: Working directory inside the container`
  if (matches('inside_text', description) || matches('no_file_text', description)) return false;
  const [first = '', ...rest] = names.filter((name) => !matches('any_name', name) || names.length === 1);
  if (matches('other_name', first) || rest.some(matching('other_name'))) return false;
  if (matches('file_text', description)) return true;
  if (matches('never_path', first) || rest.some(matching('never_path'))) return false;
  if (script === undefined || names.some(matching('file_word'))) return true;
  return names.some(matching('database_name')) && matches('database_file_text', script.text);
}

/** True when an option makes a reading command write a file or start a program. */
export function writesOrRuns({ flags, value, description }: PageOption): boolean {
  const names = flags.map((flag) => flag.replace(/=$/, ''));
  // `--no-pager: Do not pipe output into a pager`.
  if (names.some((flag) => flag.startsWith('--no-')) || matches('denial', description)) return false;
  if (names.some(matching('running_flag')) || matches('running_option_text', description)) return true;
  if (value === undefined || value.choices.length > 0) return false;
  if (listsFiles({ flags, value, description })) return true;
  const isFile = matches('file_value', value.name) || /^-?file$/i.test(value.name);
  return (isFile && names.some(matching('writing_file_flag'))) || matches('writing_text', description);
}

/** True when an option's value is a file that lists further files to read. */
export function listsFiles({
  flags,
  value,
  description,
}: Pick<PageOption, 'flags' | 'value' | 'description'>): boolean {
  return (
    value !== undefined &&
    (flags.some((flag) => matches('file_list_flag', flag.replace(/=$/, ''))) || matches('file_list_text', description))
  );
}

/** The value of an argument's `path`: a path, or the form of a value that can be one. */
export type ArgumentPath = true | PathForm['form'] | PathForm;

interface NamedValue {
  readonly command: readonly string[];
  /** The page's name for the value, and the spellings of its flag. */
  readonly names: readonly string[];
  readonly description: string;
  readonly isOption: boolean;
}

/** Returns whether a value is a local path (`mayBe`), or the form of a value that can also be something else. */
export function pathOf(value: NamedValue, mayBe: boolean): { readonly path?: ArgumentPath } {
  const form = findForm(value);
  if (form !== undefined) return form === 'text' ? {} : { path: form };
  const names = value.names.map((name) => name.replaceAll(/^-+|[=:]$/g, ''));
  const other = knownOf(value.command[0] ?? '', 'other_values');
  if (other !== undefined && !isSurelyPath(names, value.description)) return { path: other };
  return mayBe ? { path: true } : {};
}

/** Looks up known facts about the command, then the page's text; `undefined` if neither decides. */
function findForm({ command, names, description, isOption }: NamedValue): ArgumentPath | 'text' | undefined {
  const known = findFact(command, 'path', isOption ? { flags: names } : { words: names });
  if (known !== undefined) return known;
  const texts = [...names, description];
  if (texts.some(matching('container_path'))) return 'container';
  if (texts.some(matching('volume_text'))) return 'volume';
  return texts.some(matching('path_or_url')) ? 'url' : undefined;
}

/** Returns the values of a copy command's last word that make it copy to another machine; `undefined` if unknown. */
export function placesElsewhere({
  command,
  positionals,
}: Pick<CommandPage, 'command' | 'positionals'>): ArgumentRisk | undefined {
  const target = positionals.at(-1);
  if (!matches('copying_command', command.at(-1) ?? '') || positionals.length < 2 || target === undefined)
    return undefined;
  const { name, description } = target;
  const { path } = pathOf({ command, names: [name], description, isOption: false }, true);
  return valuesElsewhere(path);
}

/** Returns the values of a form that are not local paths. */
function valuesElsewhere(path: ArgumentPath | undefined): ArgumentRisk | undefined {
  if (path === undefined || path === true) return undefined;
  const { form, schemes = [] } = typeof path === 'string' ? { form: path } : path;
  if (form === 'container' || form === 'host') return { '*:*': 'destructive' };
  return schemes.length === 0
    ? undefined
    : Object.fromEntries(schemes.map((scheme) => [`${scheme}://*`, 'destructive'] as const));
}
