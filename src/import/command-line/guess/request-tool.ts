import type { CommandPage, PageOption } from '../command-page.ts';
import { writesOrRuns } from '../guess-path.ts';

const METHOD_FLAG = /^(?:-X|--request|--method)$/;
const METHOD_TEXT = /\b(?:HTTP|request) (?:request )?method\b/i;
/** Options with which a request sends something, or is another one than GET. */
const SENDS_FLAG =
  /^--?(?:(?:data|form|json|upload|post|raw-?field|field|body|input|quote|prequote|postquote|mail|config|telnet-option|proto)(?:-.+)?|append|engine|next|crlf|variable|expand-.+|ftp-create-dirs)$/;
const SENDS_TEXT =
  /\b(?:HTTP )?(?:POST|PUT|PATCH|DELETE)\b(?! data in the URL)|\bupload|\bas (?:the )?body\b|\brequest body\b/;
/** Options of which the page says that something is stored. */
const STORES =
  /\b(?:writ(?:e|es|ten)|sav(?:e|es|ed)|stor(?:e|es|ed)|dump|append|redirect|cache file|remote file|output file)\b/i;
const STORES_FLAG =
  /^--(?:output|remote)-|^--(?:trace(?:-ascii|-config)?|stderr|libcurl|create-.+|xattr|alt-svc|hsts)$/;

/** The option with which a command sends another request than GET, which it prints the answer of: `curl -X`, `gh api --method`. */
export function findMethodOption({ options }: CommandPage): PageOption | undefined {
  return options.find(isMethodOption);
}

/** Whether the value of an option is the method of a request. */
export function isMethodOption({ flags, value, description }: PageOption): boolean {
  return value !== undefined && flags.some((flag) => METHOD_FLAG.test(flag)) && METHOD_TEXT.test(description);
}

/** What says that a request with this option does more than read. */
export function findRequestChange(option: PageOption): string | undefined {
  const { flags, description } = option;
  const names = flags.map((flag) => flag.replace(/=$/, ''));
  if (names.some((flag) => flag.startsWith('--no-'))) return undefined;
  // `Do not switch to GET after …` changes what is sent; other refusals do less than without them.
  if (/^(?:do(?:es)? not|don't|never)\b/i.test(description) && !SENDS_FLAG.test(names[0] ?? '')) return undefined;
  const flag = names.find((name) => METHOD_FLAG.test(name) || SENDS_FLAG.test(name) || STORES_FLAG.test(name));
  if (flag !== undefined) return flag;
  const told = (SENDS_TEXT.exec(description) ?? STORES.exec(description.slice(0, START)))?.[0];
  return told ?? (writesOrRuns(option) ? names[0] : undefined);
}

/** Later sentences speak of other options. */
const START = 120;
