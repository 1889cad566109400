import { findFact, hasTrait, matched, matches, matching } from '../../packs/knowledge.ts';
import type { CommandPage, PageOption } from '../command-page.ts';
import { placesElsewhere, writesOrRuns } from './guess-path.ts';

/** A guess about the effect of a command, and the word that shows it. */
export interface RiskGuess {
  readonly risk: 'read' | 'destructive';
  readonly from: string;
  /** It only reads unless an argument says otherwise: without arguments it lists, or sends a GET request. */
  readonly by?: 'listing' | 'request';
}

/** Texts that mention a change. */
const CHANGES =
  /\b(?:install|upgrad|updat|creat|delet|remov|writ(?:e|es|ing)\b|modif|edit|set(?:s|ting)?\b|chang|add(?:s|ing)?\b|push|upload|download|mov(?:e|es|ing)\b|renam|replac|start(?:s|ing)?\b|stop(?:s|ping)?\b|restart|run(?:s|ning)?\b|execut(?:e|es|ing)\b|apply|applies|merg|register|log ?in|authenticat|enabl|disabl|open(?:s)?\b|stor(?:e|es|ing)\b|rotat|browser)/i;
const AND_CHANGES = new RegExp(String.raw`(?:\b(?:and|or|then|to)\s+|[,/]\s*)${CHANGES.source}`, 'i');
const START_OF_DETAILS = 200;

/** Guesses from a command's verb what it does; `undefined` if the word is not clear, and the tool counts as writing. */
export function guessRisk(given: CommandPage, about = given.summary): RiskGuess | undefined {
  const command = given.command.map((word) => word.split('/').at(-1) ?? word);
  const page = { ...given, command };
  const [program = '', ...words] = command;
  if (words.length === 0) {
    if (hasTrait(program, 'destructive')) return { risk: 'destructive', from: program };
    if (hasTrait(program, 'reads')) return { risk: 'read', from: program };
  } else {
    const asks = findAskingWord(page, about);
    if (asks !== undefined) return { risk: 'destructive', from: asks };
  }
  const method = findMethodOption(page);
  if (method !== undefined && matches('request', words.length === 0 ? about : (words.at(-1) ?? '')))
    return { risk: 'read', from: `GET without ${method.flags[0]}`, by: 'request' };
  if (hasTrait(program, 'requests')) return { risk: 'destructive', from: program };
  if (words.length === 0) return guessRunning(page, about);
  return guessRead(page, about) ?? guessRunning(page, about) ?? guessListing(page, about) ?? guessOutside(page, about);
}

/** Guesses that a command which is not known to read changes a shared system. */
function guessOutside(page: CommandPage, about: string): RiskGuess | undefined {
  const from = findOutsideChange(page, about);
  return from === undefined ? undefined : { risk: 'destructive', from };
}

/**
 * A wrong "read" may let a change run without approval: verb and text must agree or one be beyond doubt, and no option may write.
 */
function guessRead({ command, options }: CommandPage, whole: string): RiskGuess | undefined {
  const words = command.slice(1);
  const last = words.at(-1) ?? '';
  const [, form = '', rest = ''] = /^(?:([a-z0-9][a-z0-9 -]*): )?(.*)$/s.exec(whole) ?? [];
  const text = rest.split(/(?<=\.)\s/, 1)[0] ?? '';
  const own = options.filter(({ global }) => global === undefined);
  const flags = own.flatMap((option) => option.flags);
  const writes = own.some(
    // `--prune: Include resources that would be deleted` only affects the output.
    (option) => option.flags.some(matching('writing_flag')) && !/^(?:include|show)\b/i.test(option.description),
  );
  if (text === '' || writes) return undefined;
  // `ls: Modify distribution tags`: a description of all forms of a command says nothing about this one.
  const formed = form === words.slice(-form.split(' ').length).join(' ') ? form.split(' ') : [];
  const sure = formed.find(matching('surely_reading_command'));
  if (sure !== undefined) return { risk: 'read', from: sure };
  const verb = words.findLast(matching('reading_command'));
  const looks = matches('reading_text', text);
  const agrees = looks
    ? matches('api_reading_command', last) || !AND_CHANGES.test(text)
    : verb === last && !CHANGES.test(text);
  if (verb !== undefined && agrees) return { risk: 'read', from: verb };
  const mayWrite = own.some(({ description }) => /^(?:write|store|delete|remove)\b/i.test(description));
  const mayRun = flags.some(matching('started_program_flag'));
  if (mayWrite || mayRun || formed.length > 0 || AND_CHANGES.test(text)) return undefined;
  const told = matched('surely_reading_text', text);
  return told === undefined ? undefined : { risk: 'read', from: told };
}

/** A command lists when called without arguments: its text says so, and so does one of its options. */
function guessListing({ positionals, options, oneOf }: CommandPage, text: string): RiskGuess | undefined {
  const isListing =
    /\blist\b/i.test(text) &&
    options.some(({ flags, value }) => flags.includes('--list') && value === undefined) &&
    oneOf.length === 0 &&
    !positionals.some(({ isRequired }) => isRequired) &&
    !options.some(({ isRequired }) => isRequired);
  return isListing ? { risk: 'read', from: '--list', by: 'listing' } : undefined;
}

/** A command that runs a program named in the call. The risk of destructive options is set on the options. */
function guessRunning({ command, positionals, details = '' }: CommandPage, text: string): RiskGuess | undefined {
  if (/^(?:help|man|completion)$/.test(command.at(-1) ?? '')) return undefined;
  const program = positionals.find(({ name }) => matches('program_word', name));
  const runs = program?.name ?? matched('running_text', `${text}. ${details.slice(0, START_OF_DETAILS)}`);
  return runs === undefined ? undefined : { risk: 'destructive', from: runs };
}

/** Finds the option that sets the method of a request whose answer is printed: `curl -X`, `gh api --method`. */
function findMethodOption({ options }: CommandPage): PageOption | undefined {
  return options.find(isMethodOption);
}

export function isMethodOption({ flags, value, description }: PageOption): boolean {
  return value !== undefined && flags.some(matching('method_flag')) && matches('method_text', description);
}

/** Finds the word which shows that a request with this option does more than read. */
export function findRequestChange(option: PageOption): string | undefined {
  const { flags, description } = option;
  const names = flags.map((flag) => flag.replace(/=$/, ''));
  if (names.some((flag) => flag.startsWith('--no-'))) return undefined;
  // `Do not switch to GET after …` changes the request; other negations do less than the default.
  if (matches('denial', description) && !matches('sending_flag', names[0] ?? '')) return undefined;
  const flag = names.find(
    (name) => matches('method_flag', name) || matches('sending_flag', name) || matches('storing_flag', name),
  );
  if (flag !== undefined) return flag;
  const told = matched('sending_text', description) ?? matched('storing_text', description.slice(0, START_OF_TEXT));
  return told ?? (writesOrRuns(option) ? names[0] : undefined);
}

/** Later sentences are about other options. */
const START_OF_TEXT = 120;

/**
 * Finds the word because of which each call of a subcommand needs approval: it destroys, publishes, runs or reveals something.
 */
function findAskingWord({ command, options }: CommandPage, text: string): string | undefined {
  const words = command.slice(1);
  const last = words.at(-1) ?? '';
  const own = options.filter(({ global }) => global === undefined).flatMap(({ flags }) => flags);
  const isLive = !words.some(matching('local_settings')) && matches('live_system', text);
  const installing = options.find(
    ({ global, description }) => global === undefined && matches('installing_text', description),
  );
  const destroying = own.find((flag) => /^--?destroy$/.test(flag));
  return (
    words.findLast(matching('destructive_command')) ??
    (matches('installing_command', last) || findFact(command, 'asks') === true ? last : undefined) ??
    installing?.flags[0] ??
    matched('installing_text', text) ??
    (matches('scriptless_command', last) ? undefined : own.find(matching('script_switch'))) ??
    (matches('sending_command', last) && matches('other_place_of_data', text) ? last : undefined) ??
    (isLive ? words.find(matching('live_change')) : undefined) ??
    (last === 'apply' && matches('applied_to', text) ? last : undefined) ??
    matched('destroying_command_text', text) ??
    (matches('secret_command', last) ? last : undefined) ??
    (words.some(matching('right')) ? words.find(matching('giving_command')) : undefined) ??
    words.find(matching('right_giving_command')) ??
    (matches('moving_command', last) && matches('moved_from', text) ? last : undefined) ??
    (destroying !== undefined && /^(?:apply|up|deploy|sync)$/.test(last) ? `${last} ${destroying}` : undefined)
  );
}

/** Finds the word for a change beyond this machine and its user, or one that later calls run or rely on. */
function findOutsideChange(page: CommandPage, text: string): string | undefined {
  const { command, options, positionals, details = '' } = page;
  const [program = '', ...words] = command;
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const serves = matched('serving_text', `${text}. ${details.slice(0, START_OF_DETAILS)}`);
  if (serves !== undefined) return serves;
  // `npm set` is short for `npm config set`.
  const isSetting = words.some(matching('own_settings')) || (hasTrait(program, 'packages') && words[0] === 'set');
  if (isSetting && matches('setting_command', last) && positionals.length > 0) return last;
  if (words.some(matching('local_command')) && !matches('copy_for_others', text)) return undefined;
  const verb = words.find(matching('changing_verb')) ?? last;
  if (hasTrait(program, 'packages')) return words.some(matching('public_command')) ? verb : undefined;
  const isClient = hasTrait(program, 'remote') || options.some(({ flags }) => flags.some(matching('client_flag')));
  // The last word determines the direction of the copy.
  return isClient && placesElsewhere(page) === undefined ? verb : undefined;
}
