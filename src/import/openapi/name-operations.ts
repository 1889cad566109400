import { toLegalName, withHash } from '../../tool/texts/legal-name.ts';
import { META_TOOL_NAMES } from '../../tool/tool-names.ts';

/** The facts that a name is made from. */
export interface NamedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
}

/**
 * Gives each operation a name that a person would choose: words of its id, or a verb and the words of its path.
 *
 * Names are valid everywhere, unique, and depend only on operations with the same words. None equals a tool of the board itself,
 * such as `call_tool`: the API would receive calls meant for other tools.
 */
export function nameOperations(operations: readonly NamedOperation[]): string[] {
  const first = disambiguate(operations, operations.map(wantedName), (operation) => pathName(operation));
  let names = disambiguate(operations, first, ({ method, path }, name) =>
    withHash(name, { whole: `${method} ${path}` }),
  );
  // An id may equal another operation's name with its hash.
  for (let turn = 1; new Set(names).size < names.length && turn < MAX_TURNS; turn++)
    names = disambiguate(operations, names, ({ method, path }, name) =>
      withHash(name, { whole: `${turn} ${method} ${path}` }),
    );
  return names;
}

const MAX_TURNS = 10;

/** Renames all operations that share a name, or have one of the board's own, so that their order does not matter. */
function disambiguate(
  operations: readonly NamedOperation[],
  names: readonly string[],
  otherwise: (operation: NamedOperation, name: string) => string,
): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return operations.map((operation, index) => {
    const name = names[index] ?? '';
    return (counts.get(name) ?? 0) > 1 || META_TOOL_NAMES.has(name) ? otherwise(operation, name) : name;
  });
}

const VERBS = new Set(
  'add create delete find get index list patch post put remove replace search show update'.split(' '),
);

function wantedName(operation: NamedOperation): string {
  const words = toWords(withoutTechnicalParts(operation));
  const [only] = words;
  if (only === undefined) return pathName(operation);
  if (words.length === 1 && VERBS.has(only)) return join([only, ...pathWords(operation.path)]);
  return join(words);
}

/** Returns an id without parts added by frameworks: FastAPI's path and method, Springfox's `UsingGET_1`, Nest's `Controller`. */
function withoutTechnicalParts({ operationId = '', method, path }: NamedOperation): string {
  const added = `${path.replaceAll(/\W/g, '_')}_${method}`;
  if (operationId.endsWith(added) && operationId.length > added.length) return operationId.slice(0, -added.length);
  return operationId
    .replace(/Using(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)(?:_\d+)?$/, '')
    .replace(/Controller(?=[_.-])/, '');
}

/** `get` and `/users/{id}/posts` → `list_user_posts`. */
function pathName({ method, path }: NamedOperation): string {
  const words = pathWords(path);
  const last = path.split('/').findLast((segment) => segment !== '') ?? '';
  const isPlural = !last.includes('{') && singular(words.at(-1) ?? '') !== words.at(-1);
  const verb = method === 'get' && isPlural ? 'list' : method === 'post' && isPlural ? 'create' : VERB_OF[method];
  const nouns = verb === 'create' ? lastSingular(words) : words;
  return join([verb ?? method, ...nouns]);
}

const VERB_OF: Readonly<Record<string, string>> = { patch: 'update', put: 'replace' };

/** Returns the fixed words of a path without common prefixes; a word before a variable becomes singular. */
function pathWords(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const start = segments.findIndex((segment) => !/^(?:api|rest|v\d[\w.]*)$/i.test(segment));
  const own = segments.slice(Math.max(start, 0));
  const words = own.flatMap((segment, index) => {
    const fixed = segment.replaceAll(/\{[^{}]*\}/g, '_');
    const found = toWords(fixed);
    if (found.length === 0 || own[index + 1]?.startsWith('{') !== true) return found;
    return lastSingular(found);
  });
  if (words.length > 0) return words;
  const variables = toWords(own.join('_'));
  return variables.length === 0 ? ['root'] : ['by', ...variables];
}

function lastSingular(words: readonly string[]): string[] {
  return words.map((word, index) => (index === words.length - 1 ? singular(word) : word));
}

function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word) || word.length < 4) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:sses|shes|ches|xes)$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** Returns the words of `repos/list-for-org` or `listRepoIssues` in lower case, without one that repeats the word before it. */
export function toWords(text: string): string[] {
  const words = text
    .replaceAll(/OAuth/g, 'Oauth')
    .replaceAll(/([A-Z]{2,})s(?![a-z])/g, (_, letters: string) => `${letters}S`)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.filter((word, index) => word !== words[index - 1]);
}

function join(words: readonly string[]): string {
  return toLegalName(words.join('_'));
}
