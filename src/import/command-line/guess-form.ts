import type { PathForm } from '../../tool/parameters/path-form.ts';
import { isSurelyPath } from './guess-path.ts';

/** What `path` of an argument says: a path, or a value that can be one. */
export type ArgumentPath = true | PathForm['form'] | PathForm;

/** A word or option of a command, as its page has it. */
interface NamedValue {
  /** The words of the command, without folders: `docker container cp`. */
  readonly command: string;
  /** What the page calls the value, and the spellings of its flag. */
  readonly names: readonly string[];
  readonly description: string;
  readonly isOption: boolean;
}

/** Of some arguments of a command: what their values are. `text` is never a path. */
interface Row {
  readonly command: RegExp;
  /** Flags; `undefined` for words that are no options. */
  readonly flags?: RegExp;
  /** Names of words. Default: all */
  readonly words?: RegExp;
  readonly path: ArgumentPath | 'text';
}

const GIT: PathForm = { form: 'host', schemes: ['https', 'http', 'ssh', 'git', 'ftp', 'ftps'] };
const CURL: PathForm = { form: 'address', schemes: ['https', 'http', 'ftp', 'ftps', 'sftp', 'scp', 'ws', 'wss'] };
const CONTAINERS = '(?:docker|podman|nerdctl)(?: container| image| buildx| builder)?';

/** What the pages of well-known commands do not say, or say in words of their own. The first row that fits counts. */
const ROWS: readonly Row[] = [
  { command: new RegExp(`^${CONTAINERS} cp$`), path: 'container' },
  { command: new RegExp(`^${CONTAINERS} (?:run|create)$`), flags: /^(?:--volume|-v)$/, path: 'volume' },
  { command: new RegExp(`^${CONTAINERS} (?:run|create)$`), flags: /^--mount$/, path: 'mount' },
  {
    command: new RegExp(`^${CONTAINERS} build$`),
    words: /^path/i,
    path: { form: 'url', schemes: ['https', 'http', 'git'] },
  },
  { command: new RegExp(`^${CONTAINERS} import$`), words: /^(?:file|url)/i, path: 'url' },
  { command: /^(?:kubectl|oc) cp$/, path: 'container' },
  { command: /^(?:kubectl|oc)\b/, flags: /^(?:--filename|--kustomize|-f|-k)$/, path: 'url' },
  {
    command: /^aws s3 (?:cp|mv|sync)$/,
    words: /^(?:source|destination|localpath|s3uri)/i,
    path: { form: 'url', schemes: ['s3'] },
  },
  // Streams of bytes, which aws takes as paths of files.
  { command: /^aws (?:s3api|glacier|mediastore-data) /, flags: /^--body$/, path: true },
  { command: /^aws lambda invoke-async$/, flags: /^--invoke-args$/, path: true },
  { command: /^aws cloudsearchdomain /, flags: /^--documents$/, path: true },
  { command: /^npm (?!exec\b|run\b)/, words: /^(?:package-?spec|pkg)$/i, path: 'package' },
  { command: /^(?:pnpm|yarn) (?:add|install)$/, words: /^(?:package|pkg|name)/i, path: 'package' },
  { command: /^git (?:clone|fetch|pull|push|ls-remote|submodule add)$/, words: /^repo(?:sitory)?$/i, path: GIT },
  { command: /^git remote (?:add|set-url)$/, words: /url$/i, path: GIT },
  { command: /^(?:scp|sftp)$/, words: /^(?:source|target|src|dest|destination)/i, path: 'host' },
  { command: /^rsync$/, words: /^(?:source|target|src|dest|destination)/i, path: { form: 'host', schemes: ['rsync'] } },
  { command: /^curl$/, words: /^url/i, path: CURL },
  { command: /^curl$/, flags: /^--url$/, path: CURL },
  { command: /^curl$/, flags: /^--(?:data|data-ascii|data-binary|json|header|proxy-header|write-out)$/, path: 'at' },
  { command: /^curl$/, flags: /^--(?:data-urlencode|form|url-query|variable)$/, path: 'field' },
  { command: /^curl$/, flags: /^--(?:data-raw|form-string)$/, path: 'text' },
  { command: /^gh api$/, flags: /^--field$/, path: 'field' },
  { command: /^gh api$/, flags: /^--raw-field$/, path: 'text' },
];

/** `CONTAINER:SRC_PATH` */
const CONTAINER_PATH = /(?:^| or )CONTAINER:/;
/** `PATH|URL`, `Filename, directory, or URL to files`, `file or URL` */
const PATH_OR_URL =
  /\b(?:files?|file ?names?|paths?|director(?:y|ies)|folders?)\b(?:[\s,|]|or|and|a|an|the)*\bURLs?\b/i;
/** `host-src[:container-dest]`, `source:/path` */
const VOLUME = /host-src\S*:\S*container|\bbind mount a volume\b/i;

/**
 * Whether a value is a path of this machine (`mayBe`), or how it is read where it can also be something else. aws reads a file for each
 * value that begins with `file://`.
 */
export function pathOf(value: NamedValue, mayBe: boolean): { readonly path?: ArgumentPath } {
  const form = findForm(value);
  if (form !== undefined) return form === 'text' ? {} : { path: form };
  const names = value.names.map((name) => name.replaceAll(/^-+|[=:]$/g, ''));
  if (/^aws\b/.test(value.command) && !isSurelyPath(names, value.description)) return { path: 'file-url' };
  return mayBe ? { path: true } : {};
}

/** What is known of the command, then what its page says; `undefined` where that tells nothing. */
function findForm({ command, names, description, isOption }: NamedValue): ArgumentPath | 'text' | undefined {
  const row = ROWS.find(
    ({ command: isFor, flags, words }) =>
      isFor.test(command) &&
      isOption === (flags !== undefined) &&
      (flags === undefined
        ? words === undefined || names.some((name) => words.test(name))
        : names.some((name) => flags.test(name))),
  );
  if (row !== undefined) return row.path;
  const texts = [...names, description];
  if (texts.some((text) => CONTAINER_PATH.test(text))) return 'container';
  if (texts.some((text) => VOLUME.test(text))) return 'volume';
  return texts.some((text) => PATH_OR_URL.test(text)) ? 'url' : undefined;
}
