import type { ArgumentRisk } from '../../../tool/parameters/argument-risk.ts';
import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';
import { type ArgumentPath, pathOf } from './guess-path.ts';

/** The risk that some values of an argument add to a call, and the word that shows it. */
interface ValueRisk {
  readonly risk: ArgumentRisk;
  readonly from: string;
}

/** Commands that show objects of any type, including secrets: `kubectl get secret`. */
const SHOWS = /^(?:get|describe|list|view-last-applied|wait)$/;
const TYPE = /^(?:type|kind|resource)\b/i;
const SECRETS: ArgumentRisk = { 'secret*': 'destructive' };
/** Secrets among names, which may begin the same way: after a type, or first in a call without a type. */
const NAMED_SECRETS: ArgumentRisk = Object.fromEntries(
  ['secret', 'secrets', 'secret.*', 'secrets.*', 'secret*/*'].map((name) => [name, 'destructive'] as const),
);
/** Secrets in the path of a request, where any letter can be percent-encoded. */
const SECRET_PATHS: ArgumentRisk = { '*secret*': 'destructive', '*%*': 'destructive' };
/** Options that name such objects by a file or an address. */
const BY_FILE = /^--(?:filename|kustomize)=?$/;
const BY_ADDRESS = /^--raw=?$/;
/** Commands that show one setting. */
const SETTINGS = /^(?:config|configure)$/;
const SECRET_SETTING: ArgumentRisk = Object.fromEntries(
  ['token', 'secret', 'passw', '_auth', 'key', 'credential', 'header'].map(
    (word) => [`*${word}*`, 'destructive'] as const,
  ),
);
/** Commands that print stored data with its secrets: `terraform output -json`. */
const STORED = /\bstate(?: file)?\b|\boutput values\b/i;
const WHOLE_FLAG = /^--?(?:json|raw)$/;
const COPIES = /^(?:cp|copy|sync)$/;

/** Guesses which values of a positional are secrets that a command shows, or remote places that it writes to. */
export function guessWordValues(
  { name }: PagePositional,
  { command, positionals, summary, details = '' }: Pick<CommandPage, 'command' | 'positionals' | 'summary' | 'details'>,
  isRead: boolean,
): ValueRisk | undefined {
  const last = command.at(-1) ?? '';
  if (showsTypes({ command, positionals }) && isRead) {
    return { risk: TYPE.test(name) ? SECRETS : NAMED_SECRETS, from: `${last} secret` };
  }
  const isSetting = last === 'get' ? command.length < 3 || SETTINGS.test(command.at(-2) ?? '') : last === 'config';
  if (isSetting && positionals[0]?.name === name) return { risk: SECRET_SETTING, from: `${last} ${name}` };
  if (isRead && last === 'output' && STORED.test(`${summary} ${details}`)) return { risk: 'destructive', from: name };
  const elsewhere = positionals.at(-1)?.name === name ? placesElsewhere({ command, positionals }) : undefined;
  return elsewhere === undefined ? undefined : { risk: elsewhere, from: `${last} to ${name}` };
}

/** Guesses the same for an option of a reading command. */
export function guessOptionValues(
  { flags, value }: PageOption,
  page: Pick<CommandPage, 'command' | 'positionals'> & { readonly about: string },
): ValueRisk | undefined {
  const [first = ''] = flags;
  if (showsTypes(page)) {
    if (flags.some((flag) => BY_FILE.test(flag))) return { risk: 'destructive', from: first };
    if (flags.some((flag) => BY_ADDRESS.test(flag))) return { risk: SECRET_PATHS, from: first };
  }
  const isWhole = value === undefined && flags.some((flag) => WHOLE_FLAG.test(flag));
  const isStored = /^(?:output|show)$/.test(page.command.at(-1) ?? '') && STORED.test(page.about);
  return isWhole && isStored ? { risk: 'destructive', from: first } : undefined;
}

function showsTypes({ command, positionals }: Pick<CommandPage, 'command' | 'positionals'>): boolean {
  return SHOWS.test(command.at(-1) ?? '') && positionals.some(({ name }) => TYPE.test(name));
}

/** Returns the values of a copy command's last word that make it copy to another machine; `undefined` if unknown. */
export function placesElsewhere({
  command,
  positionals,
}: Pick<CommandPage, 'command' | 'positionals'>): ArgumentRisk | undefined {
  const target = positionals.at(-1);
  if (!COPIES.test(command.at(-1) ?? '') || positionals.length < 2 || target === undefined) return undefined;
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
