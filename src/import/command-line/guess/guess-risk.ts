import { hasTrait } from '../../packs/knowledge.ts';
import type { CommandPage, PageOption } from '../command-page.ts';
import { writesOrRuns } from './guess-path.ts';
import { findAskingWord, findOutsideChange } from './find-asking-word.ts';

/** A guess about the effect of a command, and the word that shows it. */
export interface RiskGuess {
  readonly risk: 'read' | 'destructive';
  /** The word it was guessed from. */
  readonly from: string;
  /** It only reads unless an argument says otherwise: without arguments it lists, or sends a GET request. */
  readonly by?: 'listing' | 'request';
}

/** Names and texts of commands that send arbitrary requests. */
const REQUESTS = /^(?:api|request|rest|http|graphql)$|\b(?:transfer\w* (?:a URL|data)|HTTP (?:client|requests?))\b/i;
const READ =
  /^(?:(?:ls|list|ll|get|show|view|describe|inspect|status|logs?|diff|history|info|version|search|find|cat|top|ps|images|stats|port|explain|events|outdated|query|whoami|api-resources|api-versions|cluster-info|can-i|output|graph|providers|validate|ping|doctor|df|check|checks|blame|annotate|grep|shortlog|rev-parse|cat-file|rev-list|tree|root|prefix|fund|current-context|view-last-applied|sbom|about|wait)|(?:get|list|describe|show|search|ls|lookup|head|is|diff|verify)-.+)$/;
/** Verbs that only read, even if the text is about a whole group of commands: `ls: Modify package distribution tags`. */
const SURE_READ = /^(?:ls|list|show|view|get|status|info|find|search|list-.+|get-.+|show-.+)$/;
/**
 * Verbs of APIs that only read, even if the text describes changes to the listed items: `Returns queries that are scheduled,
 * running, or …`.
 */
const API_READ = /^(?:describe|list|lookup)-.+$/;
/** First words of texts about reading. */
const LOOKS =
  /^(?:experimental: )?(?:display|show|list|print|view|get|fetch|inspect|describe|search|find|return|output|check(?! out)|compare|diff|retrieve|report|validate|look|see|explain|count|examine|query|access|determine|wait|annotate|returns|lists|shows|displays|prints|gets|describes|retrieves|searches|compares|counts|checks|finds|outputs|validates|verifies)\b/i;
/** Of these, words that need no verb to confirm them. */
const ONLY_LOOKS =
  /^(?:display|show|list|print|view|search|find|output|check(?! out)|compare|count|validate|lists|shows|displays|prints|searches|compares|counts|checks|finds|outputs|validates|verifies)\b/i;
/** Texts that mention a change. */
const CHANGES =
  /\b(?:install|upgrad|updat|creat|delet|remov|writ(?:e|es|ing)\b|modif|edit|set(?:s|ting)?\b|chang|add(?:s|ing)?\b|push|upload|download|mov(?:e|es|ing)\b|renam|replac|start(?:s|ing)?\b|stop(?:s|ping)?\b|restart|run(?:s|ning)?\b|execut(?:e|es|ing)\b|apply|applies|merg|register|log ?in|authenticat|enabl|disabl|open(?:s)?\b|stor(?:e|es|ing)\b|rotat|browser)/i;
const AND_CHANGES = new RegExp(String.raw`(?:\b(?:and|or|then|to)\s+|[,/]\s*)${CHANGES.source}`, 'i');
/** Options that make a command write although its name suggests reading. */
const WRITING_FLAG =
  /^--?(?:delete|remove|write|fix|apply|edit|set|add|unset|replace|rename|move|prune|exec|output-file|out|outfile|output-directory|save|install|create|update|upload|fix-.*)$/;
/** Options that start a program of the caller's choice, which is the command's purpose. */
const PROGRAM_FLAG = /^--?(?:extcmd|tool|exec|editor|browser)$/;
/** Positionals that are a program to run, or the method of a request. */
const PROGRAM_WORD = /^(?:commands?|cmd|(?:[\w-]+[-_])?program|executable|script|script_?file|method|http_?method)$/i;
const RUNS =
  /\b(?:run|execute|invoke|launch)s?\b[^.]{0,30}\b(?:commands?|programs?|scripts?|shell|integration tests)\b|\binteractive (?:command )?(?:prompt|console|shell)\b|^runs? (?:the )?(?:[\w<>-]+ )?hooks?\b/i;
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
  if (method !== undefined && REQUESTS.test(words.length === 0 ? about : (words.at(-1) ?? '')))
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
    (option) =>
      option.flags.some((flag) => WRITING_FLAG.test(flag)) && !/^(?:include|show)\b/i.test(option.description),
  );
  if (text === '' || writes) return undefined;
  // `ls: Modify distribution tags`: a description of all forms of a command says nothing about this one.
  const formed = form === words.slice(-form.split(' ').length).join(' ') ? form.split(' ') : [];
  const sure = formed.find((word) => SURE_READ.test(word));
  if (sure !== undefined) return { risk: 'read', from: sure };
  const verb = words.findLast((word) => READ.test(word));
  const looks = LOOKS.test(text);
  const agrees = looks ? API_READ.test(last) || !AND_CHANGES.test(text) : verb === last && !CHANGES.test(text);
  if (verb !== undefined && agrees) return { risk: 'read', from: verb };
  const mayWrite = own.some(({ description }) => /^(?:write|store|delete|remove)\b/i.test(description));
  const mayRun = flags.some((flag) => PROGRAM_FLAG.test(flag));
  if (mayWrite || mayRun || formed.length > 0 || AND_CHANGES.test(text)) return undefined;
  const told = ONLY_LOOKS.exec(text)?.[0];
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
  const program = positionals.find(({ name }) => PROGRAM_WORD.test(name));
  const runs = program?.name ?? RUNS.exec(`${text}. ${details.slice(0, START_OF_DETAILS)}`)?.[0];
  return runs === undefined ? undefined : { risk: 'destructive', from: runs };
}

const METHOD_FLAG = /^(?:-X|--request|--method)$/;
const METHOD_TEXT = /\b(?:HTTP|request) (?:request )?method\b/i;
/** Options with which a request sends data or is not a GET. */
const SENDS_FLAG =
  /^--?(?:(?:data|form|json|upload|post|raw-?field|field|body|input|quote|prequote|postquote|mail|config|telnet-option|proto)(?:-.+)?|append|engine|next|crlf|variable|expand-.+|ftp-create-dirs)$/;
const SENDS_TEXT =
  /\b(?:HTTP )?(?:POST|PUT|PATCH|DELETE)\b(?! data in the URL)|\bupload|\bas (?:the )?body\b|\brequest body\b/;
/** Options whose text says that something is stored. */
const STORES =
  /\b(?:writ(?:e|es|ten)|sav(?:e|es|ed)|stor(?:e|es|ed)|dump|append|redirect|cache file|remote file|output file)\b/i;
const STORES_FLAG =
  /^--(?:output|remote)-|^--(?:trace(?:-ascii|-config)?|stderr|libcurl|create-.+|xattr|alt-svc|hsts)$/;

/** Finds the option that sets the method of a request whose answer is printed: `curl -X`, `gh api --method`. */
function findMethodOption({ options }: CommandPage): PageOption | undefined {
  return options.find(isMethodOption);
}

/** True when an option's value is the method of a request. */
export function isMethodOption({ flags, value, description }: PageOption): boolean {
  return value !== undefined && flags.some((flag) => METHOD_FLAG.test(flag)) && METHOD_TEXT.test(description);
}

/** Finds the word which shows that a request with this option does more than read. */
export function findRequestChange(option: PageOption): string | undefined {
  const { flags, description } = option;
  const names = flags.map((flag) => flag.replace(/=$/, ''));
  if (names.some((flag) => flag.startsWith('--no-'))) return undefined;
  // `Do not switch to GET after …` changes the request; other negations do less than the default.
  if (/^(?:do(?:es)? not|don't|never)\b/i.test(description) && !SENDS_FLAG.test(names[0] ?? '')) return undefined;
  const flag = names.find((name) => METHOD_FLAG.test(name) || SENDS_FLAG.test(name) || STORES_FLAG.test(name));
  if (flag !== undefined) return flag;
  const told = (SENDS_TEXT.exec(description) ?? STORES.exec(description.slice(0, START_OF_TEXT)))?.[0];
  return told ?? (writesOrRuns(option) ? names[0] : undefined);
}

/** Later sentences are about other options. */
const START_OF_TEXT = 120;
