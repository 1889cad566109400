import type { ArgumentRisk } from '../../../tool/parameters/argument-risk.ts';
import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';
import { findFact, matched, matches, matching } from '../../packs/knowledge.ts';
import { listsFiles, mayBePathWord, placesElsewhere } from './guess-path.ts';
import { findRequestChange, isMethodOption, type RiskGuess } from './guess-risk.ts';
import { findProgramValue, VALUE } from '../../../platform/process/find-program-value.ts';

/** The risk that an option or a positional adds to a call, and the word that shows it. */
interface GuessedRisk {
  readonly risk: ArgumentRisk;
  readonly from: string;
}

interface CommandWords extends Pick<CommandPage, 'command'> {
  readonly about?: string;
}

/**
 * Guesses the risk that an option adds to a command, from the descriptions of both. `undefined` for commands that are destructive
 * anyway.
 */
export function guessOptionRisk(
  option: PageOption,
  guess: RiskGuess | undefined,
  { command, about = '', positionals = [], details = '' }: Partial<CommandPage> & CommandWords,
): GuessedRisk | undefined {
  const { flags, description, global } = option;
  const [first = ''] = flags;
  if (guess?.risk === 'destructive') return undefined;
  if (guess?.by === 'request') {
    // A command in an option of these is part of the protocol: `curl --ftp-alternative-to-user COMMAND`.
    const from = global === undefined ? findRequestChange(option) : undefined;
    if (isMethodOption(option)) return { risk: { GET: 'read', HEAD: 'read', '*': 'destructive' }, from: from ?? first };
    return from === undefined ? undefined : { risk: 'destructive', from };
  }
  const program = findProgramOption(option, command);
  if (program !== undefined) return { risk: 'destructive', from: program };
  if (listsFiles(option)) return { risk: 'destructive', from: first };
  const known = findFact(command, 'risk', { flags });
  if (known !== undefined) return { risk: known, from: first };
  if (global !== undefined) return undefined;
  const reveals =
    guess === undefined || matches('hiding_text', description) ? undefined : matched('revealing_text', description);
  if (reveals !== undefined) return { risk: 'destructive', from: reveals };
  const byValue =
    guess === undefined ? undefined : guessOptionValues(option, { command, positionals, about: `${about} ${details}` });
  if (byValue !== undefined) return byValue;
  if (guess !== undefined && guess.by !== 'listing') return undefined;
  const isHarmless = flags.some(matching('harmless_flag')) || matches('harmless_text', description);
  const destroys = isHarmless ? undefined : findDestroying(option, about);
  if (destroys !== undefined) return { risk: 'destructive', from: destroys };
  if (guess === undefined || flags.some((flag) => matches('listing_flag', flag.replace(/=$/, '')))) return undefined;
  return { risk: 'write', from: first };
}

/** Finds the word which shows that an option makes a command destroy something. */
function findDestroying({ flags, value, description }: PageOption, about: string): string | undefined {
  return (
    (flags.some((flag) => flag.startsWith('--pathspec')) ? matched('restoring_text', about) : undefined) ??
    flags.find(matching('destroying_flag')) ??
    (value === undefined ? flags.find(matching('destroying_switch')) : undefined) ??
    flags.find((flag) => matches('forcing_flag', flag) && matches('losing_text', `${flag} ${description}`)) ??
    matched('destroying_text', description) ??
    matched('overwriting_text', description)
  );
}

interface WordPlace {
  readonly before?: number;
}

export function guessWordRisk(
  word: PagePositional,
  page: Pick<CommandPage, 'command' | 'summary'> & Partial<CommandPage> & WordPlace,
  guess?: RiskGuess,
): GuessedRisk | undefined {
  const { command, summary, before = 0, positionals = [] } = page;
  // A name of something to create or to find.
  if (guess?.by === 'listing') return { risk: 'write', from: word.name };
  if (guess?.risk === 'destructive') return undefined;
  const known = findFact(command, 'risk', { words: [word.name] });
  if (known !== undefined) return { risk: known, from: command.map((part) => part.split('/').at(-1)).join(' ') };
  const changes = word.choices.filter(matching('changing_choice'));
  if (changes.length > 0) {
    const risk = Object.fromEntries(changes.map((choice) => [choice, 'destructive'] as const));
    return { risk, from: changes.join(', ') };
  }
  const byValue = guessWordValues(word, { ...page, positionals }, guess?.risk === 'read');
  if (byValue !== undefined || guess !== undefined) return byValue;
  // `git config core.pager PROGRAM`: the name does not reveal which setting is a program.
  const program = findProgramWord(word, { command, before });
  if (program !== undefined) return { risk: 'destructive', from: program };
  // `npm init vite` downloads a program and runs it.
  if (/^(?:init|create)$/.test(command.at(-1) ?? '') && matches('strange_package', word.name)) {
    return { risk: 'destructive', from: word.name };
  }
  // `git checkout README.md` discards changes, and a name does not reveal whether it is a branch or a file.
  const putsBack = matched('restoring_text', summary);
  return putsBack !== undefined && mayBePathWord(word) ? { risk: 'destructive', from: putsBack } : undefined;
}

const SECRETS: ArgumentRisk = { 'secret*': 'destructive' };
/** Secrets among names, which may begin the same way: after a type, or first in a call without a type. */
const NAMED_SECRETS: ArgumentRisk = Object.fromEntries(
  ['secret', 'secrets', 'secret.*', 'secrets.*', 'secret*/*'].map((name) => [name, 'destructive'] as const),
);
/** Secrets in the path of a request, where any letter can be percent-encoded. */
const SECRET_PATHS: ArgumentRisk = { '*secret*': 'destructive', '*%*': 'destructive' };
const SECRET_SETTING: ArgumentRisk = Object.fromEntries(
  ['token', 'secret', 'passw', '_auth', 'key', 'credential', 'header'].map(
    (word) => [`*${word}*`, 'destructive'] as const,
  ),
);

/** Guesses which values of a positional are secrets that a command shows, or remote places that it writes to. */
function guessWordValues(
  { name }: PagePositional,
  { command, positionals, summary, details = '' }: Pick<CommandPage, 'command' | 'positionals' | 'summary' | 'details'>,
  isRead: boolean,
): GuessedRisk | undefined {
  const last = command.at(-1) ?? '';
  if (showsTypes({ command, positionals }) && isRead) {
    return { risk: matches('type_word', name) ? SECRETS : NAMED_SECRETS, from: `${last} secret` };
  }
  const isSetting =
    last === 'get' ? command.length < 3 || matches('settings_command', command.at(-2) ?? '') : last === 'config';
  if (isSetting && positionals[0]?.name === name) return { risk: SECRET_SETTING, from: `${last} ${name}` };
  if (isRead && last === 'output' && matches('stored_text', `${summary} ${details}`))
    return { risk: 'destructive', from: name };
  const elsewhere = positionals.at(-1)?.name === name ? placesElsewhere({ command, positionals }) : undefined;
  return elsewhere === undefined ? undefined : { risk: elsewhere, from: `${last} to ${name}` };
}

/** Guesses the same for an option of a reading command. */
function guessOptionValues(
  { flags, value }: PageOption,
  page: Pick<CommandPage, 'command' | 'positionals'> & { readonly about: string },
): GuessedRisk | undefined {
  const [first = ''] = flags;
  if (showsTypes(page)) {
    if (flags.some(matching('by_file_flag'))) return { risk: 'destructive', from: first };
    if (flags.some(matching('by_address_flag'))) return { risk: SECRET_PATHS, from: first };
  }
  const isWhole = value === undefined && flags.some(matching('whole_flag'));
  const isStored = /^(?:output|show)$/.test(page.command.at(-1) ?? '') && matches('stored_text', page.about);
  return isWhole && isStored ? { risk: 'destructive', from: first } : undefined;
}

function showsTypes({ command, positionals }: Pick<CommandPage, 'command' | 'positionals'>): boolean {
  return matches('showing_command', command.at(-1) ?? '') && positionals.some(({ name }) => matches('type_word', name));
}

/** Finds the word which shows that an option's value is a program the command runs, or a setting that may be one. */
function findProgramOption({ flags, value, description }: PageOption, command: readonly string[]): string | undefined {
  if (matches('denial', description)) return undefined;
  const names = flags.map((flag) => flag.replace(/[=:]$/, ''));
  if (value === undefined) return names.find(matching('program_switch')) ?? matched('building_text', description);
  if (value.choices.length > 0) return undefined;
  const [first = ''] = names;
  const line = [...command, first, VALUE];
  return (
    names.find(matching('program_flag')) ??
    (matches('program_value', value.name) ? value.name : undefined) ??
    (findProgramValue(line, line.length - 1) === undefined ? undefined : first) ??
    matched('program_text', description) ??
    (matches('setting_value', value.name) ? value.name : undefined) ??
    matched('setting_text', description) ??
    (namesSettings({ flags, value, description }) ? first : undefined)
  );
}

/** True when an option's value is a settings file, which may name programs that the command runs. */
function namesSettings({ flags, value, description }: Pick<PageOption, 'flags' | 'value' | 'description'>): boolean {
  return (
    value !== undefined &&
    flags.some((flag) => matches('config_flag', flag.replace(/[=:]$/, ''))) &&
    matches('config_text', `${value.name} ${description}`)
  );
}

/** True when an option names a settings file and nobody asked for it by name. */
export function isUnaskedSettings(option: PageOption, named: readonly string[]): boolean {
  const isNamed = named.includes('all') || option.flags.some((flag) => named.includes(flag.replace(/^-+/, '')));
  return option.global !== undefined && !isNamed && namesSettings(option);
}

/** Finds the word which shows that a positional is a program; `before` is the number of words before it. */
function findProgramWord(
  { name }: PagePositional,
  { command, before }: { readonly command: readonly string[]; readonly before: number },
): string | undefined {
  const line = [...command, ...Array.from({ length: before }, () => VALUE), VALUE];
  return findProgramValue(line, line.length - 1) === undefined ? undefined : name;
}
