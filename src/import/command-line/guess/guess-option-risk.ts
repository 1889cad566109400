import type { ArgumentRisk } from '../../../tool/parameters/argument-risk.ts';
import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';
import { findFact } from '../../packs/knowledge.ts';
import { listsFiles, mayBePathWord } from './guess-path.ts';
import { findProgramOption, findProgramWord } from './find-program-option.ts';
import { findRequestChange, isMethodOption, type RiskGuess } from './guess-risk.ts';
import { guessOptionValues, guessWordValues } from './value-risks.ts';

/** The risk that an option or a positional adds to a call, and the word that shows it. */
interface GuessedRisk {
  readonly risk: ArgumentRisk;
  readonly from: string;
}

/** Options that make a command destroy something, or skip its safety checks. */
const DESTROYING_FLAG =
  /^--?(?:(?:delete|remove|prune|hard-reset|overwrite)(?:-.+)?|discard-.+|force|purge|erase|wipe|mirror|destroy|clobber|reset|kill|vacuum(?:-.+)?|auto-?remove|allow-(?:remove-essential|unauthenticated|insecure-repositories|downgrades|change-held-packages))$/;
/** Destructive switches that are numbers elsewhere: `git reset --hard`, `kubectl create quota --hard`. */
const DESTROYING_SWITCH = /^--?(?:hard|discard)$/;
/** Options for files that a command restores. */
const FILES_FLAG = /^--pathspec/;
const FORCES = /^--?force-.+$/;
const LOSES = /delet|remov|overwrit|discard|reset|lease|lose|lost|destroy|replac|conflict|new-cluster|throw away/i;
const HARMLESS_FLAG =
  /^--(?:force-colou?r|force-tty|force-rm|remove-empty|overwrite-ignore|remove-(?:assignee|label|reviewer|topic|project|milestone))$/;
const HARMLESS_TEXT = /^(?:do(?:es)? not|don't|never)\b|\b(?:create a mirror|otherwise ignored|creates a plan)\b/i;
const DESTROYING_TEXT =
  /\b(?:this is a dangerous option|(?:this|then|and) deletes the|deletes the (?:target|original|source|input))\b|^(?:(?:delet|overwrit|eras|wip)\w*|throw away|create\/reset)|\b(?:shortcut|same|short) (?:for|as)\b.*--(?:delete|force)\b|\beven if (?:not merged|(?:the )?target exists)\b/i;
const OVERWRITES = /\boverwrit(?:e|es|ing) (?:the |existing |output |any )*(?:files?|outputs?)\b/i;
/** Options that only affect what is listed, and how. */
const LISTING_FLAG =
  /^(?:-n|--?(?:no-)?(?:list|all|remotes|verbose|quiet|colou?r|column|sort|format|merged|contains|points-at|show-current|ignore-case|omit-empty|abbrev|json|long|filter|limit|wide))$/;
/** Options that make a reading command reveal secrets. */
const REVEALS =
  /\bsensitive (?:data|values?|information)\b|\breturns? decrypted\b|\b(?:show|display|print|include|reveal|expose|output)s?\b.{0,30}\b(?:auth tokens?|tokens? in|passwords?|secrets|secret values?|credentials|private keys?)\b/i;
const HIDES = /\b(?:do(?:es)? not|don't|never|hide|redact|mask|omit|without)\b/i;
/** `npm audit fix`: words that make an inspecting command change something. */
const CHANGING_CHOICE = /^(?:fix|apply|install|delete|remove|reset|prune)$/;
/** Names of third-party packages. */
const STRANGER = /^(?:package[-_]?spec|initializer)$/i;
/** Texts of commands that restore files. */
const PUTS_BACK =
  /\b(?:restore|overwrite|discard|revert) (?:the |all |local |working |tree |unmerged |tracked )*files\b/i;

/** A command with its description. */
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
  const reveals = guess === undefined || HIDES.test(description) ? null : REVEALS.exec(description);
  if (reveals !== null) return { risk: 'destructive', from: reveals[0] };
  const byValue =
    guess === undefined ? undefined : guessOptionValues(option, { command, positionals, about: `${about} ${details}` });
  if (byValue !== undefined) return byValue;
  if (guess !== undefined && guess.by !== 'listing') return undefined;
  const isHarmless = flags.some((flag) => HARMLESS_FLAG.test(flag)) || HARMLESS_TEXT.test(description);
  const destroys = isHarmless ? undefined : findDestroying(option, about);
  if (destroys !== undefined) return { risk: 'destructive', from: destroys };
  if (guess === undefined || flags.some((flag) => LISTING_FLAG.test(flag.replace(/=$/, '')))) return undefined;
  return { risk: 'write', from: first };
}

/** Finds the word which shows that an option makes a command destroy something. */
function findDestroying({ flags, value, description }: PageOption, about: string): string | undefined {
  return (
    (flags.some((flag) => FILES_FLAG.test(flag)) ? PUTS_BACK.exec(about)?.[0] : undefined) ??
    flags.find((flag) => DESTROYING_FLAG.test(flag) || (value === undefined && DESTROYING_SWITCH.test(flag))) ??
    flags.find((flag) => FORCES.test(flag) && LOSES.test(`${flag} ${description}`)) ??
    DESTROYING_TEXT.exec(description)?.[0] ??
    OVERWRITES.exec(description)?.[0]
  );
}

/** The position of a word. */
interface WordPlace {
  readonly before?: number;
}

/** Guesses the risk that a positional adds. */
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
  const changes = word.choices.filter((choice) => CHANGING_CHOICE.test(choice));
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
  if (/^(?:init|create)$/.test(command.at(-1) ?? '') && STRANGER.test(word.name)) {
    return { risk: 'destructive', from: word.name };
  }
  // `git checkout README.md` discards changes, and a name does not reveal whether it is a branch or a file.
  const putsBack = PUTS_BACK.exec(summary)?.[0];
  return putsBack !== undefined && mayBePathWord(word) ? { risk: 'destructive', from: putsBack } : undefined;
}
