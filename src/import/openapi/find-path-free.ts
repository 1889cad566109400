import { markedArguments } from '../../tool/parameters/marked-arguments.ts';
import type { JsonSchema } from '../../tool/json.ts';

/** Words for files and folders, in a name or in what is said about a value. */
const NAME =
  /(?:^|[^a-z])(?:files?|filename|filepath|paths?|dirs?|director(?:y|ies)|folders?|mount|volume|root|cwd)(?:[^a-z]|$)/i;

/**
 * Whether nothing in the arguments of an operation speaks of files and folders, so that its tool can say `paths: []`. Where something
 * does, a person has to say whether this machine's are meant.
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

/** Whether a part takes any value: then its name alone tells. */
function isAnything(part: JsonSchema): boolean {
  return part['type'] === undefined && !['enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => key in part);
}
