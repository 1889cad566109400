import type { PathForm } from '../../../tool/parameters/find-values.ts';
import { findFact, knownOf } from '../../packs/knowledge.ts';
import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';

/** Names of values that are files or folders. */
const PATH =
  /^(?:.*[-_ .])?(?:files?|file ?names?|paths?|pathspec|path ?names?|dirs?|director(?:y|ies)|folders?|archives?|infile|outfile|inputs?|outputs?|socket|kubeconfig|logfile|dockerfile|makefile)\d*$/i;
/** Names that Go and others print for any string: the name of the flag says more. */
const ANY =
  /^(?:strings?|string(?:Array|Slice)|list|value|values|val|arg|args|argument|text|str|set|map|name|param\w*|word)$/i;
/**
 * Names of values that are not paths but would fail a path check: texts of several lines, patterns that begin with a slash,
 * addresses, and settings whose value may look like a path of another machine.
 */
const OTHER =
  /^(?:.*[-_ .])?(?:messages?|msg|titles?|body|descriptions?|comments?|notes?|reason|content|formats?|formatting|templates?|go-template|jsonpath|patterns?|regex|regexps?|expressions?|filters?|query|selector|labels?|annotations?|headers?|env|environment|variables?|vars?|define|build-arg|urls?|uris?|repo|repository|remote|remotes|refspecs?|images?|since|until|date|proxy|endpoint|address|host|hosts|servers?|registry|issuer|property[-_ ]?value|user|token|password|separator|delimiter|prefix|range|object)$/i;
/** Descriptions of values that are files or folders. */
const TELLS =
  /\b(?:path (?:to|of)|file ?name|(?:read|take|get|write|save|store|append|output|log|print|redirect|dump)\w* .{0,40}\b(?:from|to|into|in)\b .{0,20}\b(?:files?|director(?:y|ies)|folders?)\b|(?:the|a|this|which) (?:director(?:y|ies)|folders?) (?:to|in|from|of|with|where))/i;

/** Descriptions of paths on other machines. */
const INSIDE = /\b(?:inside|within) (?:the|a|each) container\b/i;

/**
 * Descriptions of values for the program only, and of addresses on a server: `set variable $a to value <v>`, `Raw URI to
 * request`.
 */
const NO_FILE =
  /\bset (?:variable )?\$\w+ to (?:the )?(?:\w+ )?value\b|\bpass(?:es)? an? (?:[\w-]+ )?value to\b|\bURI to (?:request|get|post|put|patch|delete)\b/i;

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
  return ANY.test(name);
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
  if (choices.length > 0 || (tail === true && COMMAND_LINE.test(name))) return false;
  return decide([name], description, script);
}

/** Names of positionals that are another command line. */
const COMMAND_LINE = /^(?:command|cmd|cmd-?line|command[-_ ]?line|args?|argv|arguments?|rest|remainder)s?$/i;

/** True when a page clearly describes a value as a path. */
function isSurelyPath(names: readonly string[], description: string): boolean {
  return names.some((name) => PATH.test(name)) || TELLS.test(description);
}

/** Words that often name files: `--ca-cert`, `--env-from`, `SRC`. */
const FILE_WORD =
  /(?:^|[-_ .])(?:src|sources?|dst|dest|destinations?|in|out|from|log|logs|config|conf|cfg|ini|settings|rc|scripts?|manifests?|schemas?|certs?|certificates?|ca|cacert|pem|keyrings?|key(?:file|store|tab)|inventory|playbooks?|dumps?|backups?|root|home|chdir|cwd|workdir|work-?tree|working|data|datasets?|checkpoints?|reports?|db|sqlite|cache|storage|mount|device|pipe|fifo|lock|pidfile|json|ya?ml|xml|csv|tsv|txt|html|pdf|zip|tar|iso|photos?|videos?|audio|fonts?|icons?|patch|diff|bundles?|plugins?|lib|librar(?:y|ies)|includes?|documents?|notebooks?|vaults?|wordlists?|corpus|samples?|fixtures?|assets?|uploads?|downloads?|attach(?:ments?)?|save|import|export|store)(?=$|[-_ .\d])/i;
/** A database is a file if the page mentions files, otherwise a name on a server. */
const DATABASE = /(?:^|[-_ .])databases?$/i;
const DATABASE_FILE = /\b(?:sqlite3?|duckdb|lmdb|dbm|database files?)\b|\.(?:db|sqlite3?|duckdb|mdb)\b/i;
/** Texts that mention files. */
const FILE_TEXT =
  /\b(?:files?|file ?names?|director(?:y|ies)|dirs?|folders?|paths?|disks?|archives?|documents?|scripts?|certificates?|sockets?|devices?)\b|(?:^|[\s("'`])(?:~|\.{1,2})?\/[\w.]|\b[\w-]+\.(?:json|ya?ml|toml|ini|conf|cfg|csv|tsv|txt|log|md|html?|xml|pdf|db|sqlite|pem|key|crt|zip|tar|t?gz|png|jpe?g|sh|py|js|ts|sql)\b/i;
/** Names of values that are never paths. */
const NEVER =
  /^(?:.*[-_ .])?(?:tags?|services?|ids?|uuids?|regions?|zones?|roles?|groups?|owners?|emails?|domains?|ips?|ports?|cidr|levels?|priorit(?:y|ies)|statuss?|count|limit|offset|seed|ttl|timeouts?|delay|interval|grace|retries|weight|ratio|threshold|currency|language|lang|locale|timezone|subject|topic)$/i;

function decide(names: readonly string[], description: string, script: ScriptText | undefined): boolean {
  if (isSurelyPath(names, description)) return true;
  // `--workdir: Working directory inside the container`
  if (INSIDE.test(description) || NO_FILE.test(description)) return false;
  const [first = '', ...rest] = names.filter((name) => !ANY.test(name) || names.length === 1);
  if (OTHER.test(first) || rest.some((name) => OTHER.test(name))) return false;
  if (FILE_TEXT.test(description)) return true;
  if (NEVER.test(first) || rest.some((name) => NEVER.test(name))) return false;
  if (script === undefined || names.some((name) => FILE_WORD.test(name))) return true;
  return names.some((name) => DATABASE.test(name)) && DATABASE_FILE.test(script.text);
}

/** Options that write a file, by their value and their text. */
const FILE_VALUE = /^(?:.*[-_ .])?(?:file|filename|file ?path|path|dir|directory|folder|outfile)$/i;
const WRITES_FLAG =
  /^--?(?:o|out|output|outfile|output-file|output-dir(?:ectory)?|log-?file|dump(?:-file)?|save(?:-.*)?|fprint0?|fprintf|fls|to-file|write-to|export|log|cache-dir|logfile-path|pkg-cache|src-cache)$/;
const WRITES_TEXT =
  /\b(?:output|write|save|store|dump|append|redirect|log)\w*\b.{0,40}\b(?:to|into|in)\b.{0,25}(?<![-\w])(?:file|FILE|disk|director(?:y|ies))\b(?! (?:name|format)s?\b)|\bwrites? (?:a|the) .{0,20}\bfile\b/;
/** Options whose file lists the files that a command reads, which no path check sees: `--files-from`. */
const LISTS_FLAG = /^--?(?:files0?-from|files-from-file|input-file-list)$/;
const LISTS_TEXT =
  /\b(?:read|get|take)s? (?:the )?(?:list of )?(?:input )?(?:file ?)?names?\b.{0,40}\bfrom\b|\bread input from the files specified by\b/i;
/** Options that start a program, or a pager or editor that may be any program. */
const RUNS_FLAG =
  /^--?(?:delete|exec|execdir|ok|okdir|run|open-files-in-pager|pager|to-command|checkpoint-action|use-compress-program|rsh|rsh-command|upload-pack|receive-pack|exec-path|editor|browser|tool|extcmd|info-script|new-volume-script|compress-program|pre|config-env)$/;
const RUNS_TEXT =
  /\b(?:run|execute|invoke|launch|pipe)s?\b.{0,30}\b(?:command|program|shell|script|pager|editor|COMMAND|PROG|PROGRAM)\b(?! in the context)|\bopen\b.{0,30}\b(?:pager|editor)\b/;

/** True when an option makes a reading command write a file or start a program. */
export function writesOrRuns({ flags, value, description }: PageOption): boolean {
  const names = flags.map((flag) => flag.replace(/=$/, ''));
  // `--no-pager: Do not pipe output into a pager`.
  if (names.some((flag) => flag.startsWith('--no-')) || /^(?:do(?:es)? not|don't|never)\b/i.test(description))
    return false;
  if (names.some((flag) => RUNS_FLAG.test(flag)) || RUNS_TEXT.test(description)) return true;
  if (value === undefined || value.choices.length > 0) return false;
  if (listsFiles({ flags, value, description })) return true;
  const isFile = FILE_VALUE.test(value.name) || /^-?file$/i.test(value.name);
  return (isFile && names.some((flag) => WRITES_FLAG.test(flag))) || WRITES_TEXT.test(description);
}

/** True when an option's value is a file that lists further files to read. */
export function listsFiles({
  flags,
  value,
  description,
}: Pick<PageOption, 'flags' | 'value' | 'description'>): boolean {
  return (
    value !== undefined &&
    (flags.some((flag) => LISTS_FLAG.test(flag.replace(/=$/, ''))) || LISTS_TEXT.test(description))
  );
}

/** The value of an argument's `path`: a path, or the form of a value that can be one. */
export type ArgumentPath = true | PathForm['form'] | PathForm;

/** A positional or an option on a page. */
interface NamedValue {
  readonly command: readonly string[];
  /** The page's name for the value, and the spellings of its flag. */
  readonly names: readonly string[];
  readonly description: string;
  readonly isOption: boolean;
}

/** `CONTAINER:SRC_PATH` */
const CONTAINER_PATH = /(?:^| or )CONTAINER:/;
/** `PATH|URL`, `Filename, directory, or URL to files`, `file or URL` */
const PATH_OR_URL =
  /\b(?:files?|file ?names?|paths?|director(?:y|ies)|folders?)\b(?:[\s,|]|or|and|a|an|the)*\bURLs?\b/i;
/** `host-src[:container-dest]`, `source:/path` */
const VOLUME = /host-src\S*:\S*container|\bbind mount a volume\b/i;

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
  if (texts.some((text) => CONTAINER_PATH.test(text))) return 'container';
  if (texts.some((text) => VOLUME.test(text))) return 'volume';
  return texts.some((text) => PATH_OR_URL.test(text)) ? 'url' : undefined;
}
