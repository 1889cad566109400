import { matches, matching } from '../packs/knowledge.ts';
import type { JsonSchema } from '../../tool/json.ts';
import { markedArguments } from '../../tool/parameters/find-values.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';

/** A guess about the effect of an operation, and the word that shows it. */
interface OperationRisk {
  readonly risk: ToolRisk;
  /** The method or the word it was guessed from. */
  readonly from: string;
}

const BY_METHOD: Readonly<Record<string, ToolRisk>> = {
  get: 'read',
  head: 'read',
  options: 'read',
  query: 'read',
  search: 'read',
  propfind: 'read',
  report: 'read',
  delete: 'destructive',
  purge: 'destructive',
};

/** Guesses the effect of an operation from its method, name and summary. */
export function guessOperationRisk(operation: {
  readonly method: string;
  readonly path: string;
  /** The name of the tool: words joined by `_`. */
  readonly name: string;
  readonly summary: string;
}): OperationRisk {
  const { method, path, name, summary } = operation;
  const byMethod: OperationRisk = { risk: BY_METHOD[method] ?? 'write', from: method.toUpperCase() };
  if (byMethod.risk === 'destructive') return byMethod;
  const last = path.split('/').findLast((segment) => segment !== '' && !segment.includes('{')) ?? '';
  const own = name.startsWith(`${method}_`) ? name.slice(method.length + 1) : name;
  const verbs = [...verbsOf(own), ...(path.endsWith('}') ? [] : verbsOf(last))];
  const [said = ''] = summary.toLowerCase().match(/[a-z]+/) ?? [];
  const first = said.replace(/(?<=[a-z]{3})s$/, '');
  const destroys = [...verbs, first].find(matching('destroying_operation'));
  if (byMethod.risk === 'read') {
    // A GET whose words contradict it; a text that begins with "Get" confirms the method.
    if (matches('reading_operation', first)) return byMethod;
    if (destroys !== undefined) return { risk: 'destructive', from: destroys };
    const changes = [...verbs.slice(0, 1), first].find(matching('changing_operation'));
    return changes === undefined ? byMethod : { risk: 'write', from: changes };
  }
  if (destroys !== undefined && method !== 'put' && method !== 'patch') return { risk: 'destructive', from: destroys };
  // A wrong "read" may let a change run without approval: name and text must agree.
  const looks = method === 'post' ? verbs.find(matching('reading_operation')) : undefined;
  const isSure =
    matches('reading_operation', first) &&
    !matches('changing_operation_text', summary) &&
    !verbs.some(matching('changing_operation'));
  return looks !== undefined && isSure ? { risk: 'read', from: looks } : byMethod;
}

/** Returns the words of a name that may be its verb: the first and the last. */
function verbsOf(name: string): string[] {
  const words = name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  return [...new Set([words[0] ?? '', words.at(-1) ?? '', ...words.filter(matching('destroying_operation'))])];
}

/** Words for files and folders, in names and descriptions. */
const NAME =
  /(?:^|[^a-z])(?:files?|filename|filepath|paths?|dirs?|director(?:y|ies)|folders?|mount|volume|root|cwd)(?:[^a-z]|$)/i;

/**
 * True when nothing in an operation's arguments mentions files and folders, so that its tool can have `paths: []`. Otherwise a
 * person must decide whether local files are meant.
 */
export function isPathFree(schema: JsonSchema): boolean {
  const texts: string[] = [];
  const names = markedArguments(schema, (part) => {
    const types: readonly unknown[] = [part['type']].flat();
    const isText = types.includes('string') && part['enum'] === undefined && part['const'] === undefined;
    if (isText && typeof part['description'] === 'string') texts.push(part['description']);
    return isText || isAnything(part);
  });
  return ![...names.map(spaced), ...texts].some((text) => NAME.test(text));
}

/** `fileName` in two words. */
function spaced(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.-]/g, ' ');
}

/** True when a part accepts any value: then only its name counts. */
function isAnything(part: JsonSchema): boolean {
  return part['type'] === undefined && !['enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => key in part);
}
