import type { PathForm } from '../../tool/parameters/path-form.ts';
import { findFact, knownOf } from '../packs/knowledge.ts';
import { isSurelyPath } from './guess-path.ts';

/** What `path` of an argument says: a path, or a value that can be one. */
export type ArgumentPath = true | PathForm['form'] | PathForm;

/** A word or option of a command, as its page has it. */
interface NamedValue {
  /** The words of the command. */
  readonly command: readonly string[];
  /** What the page calls the value, and the spellings of its flag. */
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

/** Says whether a value is a path of this machine (`mayBe`), or how it is read where it can also be something else. */
export function pathOf(value: NamedValue, mayBe: boolean): { readonly path?: ArgumentPath } {
  const form = findForm(value);
  if (form !== undefined) return form === 'text' ? {} : { path: form };
  const names = value.names.map((name) => name.replaceAll(/^-+|[=:]$/g, ''));
  const other = knownOf(value.command[0] ?? '', 'other_values');
  if (other !== undefined && !isSurelyPath(names, value.description)) return { path: other };
  return mayBe ? { path: true } : {};
}

/** Finds what is known of the command, then what its page says; `undefined` where that tells nothing. */
function findForm({ command, names, description, isOption }: NamedValue): ArgumentPath | 'text' | undefined {
  const known = findFact(command, 'path', isOption ? { flags: names } : { words: names });
  if (known !== undefined) return known;
  const texts = [...names, description];
  if (texts.some((text) => CONTAINER_PATH.test(text))) return 'container';
  if (texts.some((text) => VOLUME.test(text))) return 'volume';
  return texts.some((text) => PATH_OR_URL.test(text)) ? 'url' : undefined;
}
