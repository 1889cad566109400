import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { type ArgumentList, listProperties } from './argument-list.ts';
import type { SchemaConverter } from './convert-schema.ts';
import type { DocumentNode } from './reference-reader.ts';

/** How an operation's body is sent, or why it cannot be. */
export type RequestBody =
  | { readonly type: 'none' }
  | {
      readonly type: 'body';
      readonly body: string | Readonly<Record<string, string>>;
      /** Set where it is not what the body's shape says anyway. */
      readonly contentType: string | undefined;
    }
  | { readonly type: 'unsupported'; readonly reason: string };

const FORM = 'application/x-www-form-urlencoded';

/** Makes arguments of a request body and the template that puts them together again. */
export function readRequestBody(
  node: DocumentNode | undefined,
  tools: { readonly list: ArgumentList; readonly converter: SchemaConverter },
): RequestBody {
  const content = node?.['content'];
  if (node === undefined || !isPlainObject(content) || Object.keys(content).length === 0) return { type: 'none' };
  const choice = chooseMediaType(Object.keys(content));
  if (choice === undefined) return { type: 'unsupported', reason: explainTypes(Object.keys(content)) };
  const { mediaType, kind } = choice;
  const media = content[mediaType];
  const schema = tools.converter.convert(isPlainObject(media) ? media['schema'] : undefined);
  const resolved = tools.converter.resolve(schema);
  const isRequired = node['required'] === true;
  const contentType = kind === 'json' && !/[/+]json\b/.test(mediaType) ? undefined : mediaType;
  const sentType = contentType === 'application/json' ? undefined : contentType;
  if (kind === 'text') {
    const text = { type: 'string', description: describe(node, `The body, as ${mediaType}.`) };
    const body = tools.list.add({ name: 'body', location: 'body', schema: text, required: isRequired });
    return { type: 'body', body, contentType: mediaType };
  }
  // A form cannot be one argument, so clashing names are changed there.
  const isFree = (name: string): boolean => kind === 'form' || !tools.list.isTaken(name);
  if (canFlatten(resolved, isFree)) {
    const body = listProperties(resolved).map(({ name, schema, required }): [string, string] => [
      name,
      tools.list.add({ name, location: 'body', schema, required: required && isRequired }),
    ]);
    return { type: 'body', body: Object.fromEntries(body), contentType: sentType };
  }
  if (kind === 'form') return { type: 'unsupported', reason: 'the fields of its form are not fixed' };
  const description = describe(node, undefined);
  const body = tools.list.add({ name: 'body', location: 'body', schema, required: isRequired, description });
  // Text under a JSON type is read as JSON with a placeholder in it, so the type has to be said.
  return { type: 'body', body, contentType: contentType ?? 'application/json' };
}

function chooseMediaType(types: readonly string[]): { mediaType: string; kind: 'json' | 'form' | 'text' } | undefined {
  const find = (pattern: RegExp): string | undefined => types.find((type) => pattern.test(type.toLowerCase()));
  const json = find(/^application\/json\b/) ?? find(/[/+]json\b/) ?? find(/^\*\/\*|^application\/\*/);
  if (json !== undefined) return { mediaType: json, kind: 'json' };
  const form = find(new RegExp(`^${FORM}`));
  if (form !== undefined) return { mediaType: form, kind: 'form' };
  const text = find(/^text\/(?!\*)|[/+](?:xml|yaml|x-yaml|x-ndjson|graphql)\b/);
  return text === undefined ? undefined : { mediaType: text, kind: 'text' };
}

function explainTypes(types: readonly string[]): string {
  return types.some((type) => /^multipart\/|octet-stream|^image\/|^audio\/|^video\//i.test(type))
    ? `it uploads files (${types.join(', ')})`
    : `its body has a type that cannot be sent (${types.join(', ')})`;
}

/** Properties become arguments when they are all there is to the body and none is named like a parameter. */
function canFlatten(schema: JsonSchema, isFree: (name: string) => boolean): boolean {
  const properties = listProperties(schema);
  const isOpen = schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false;
  const isChoice = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties'].some(
    (key) => schema[key] !== undefined,
  );
  const isObject = schema['type'] === 'object' || schema['type'] === undefined;
  return (
    isObject &&
    !isOpen &&
    !isChoice &&
    properties.length > 0 &&
    properties.every(({ name }) => isFree(name) && !name.includes('{{'))
  );
}

function describe(node: DocumentNode, fallback: string | undefined): string | undefined {
  const { description } = node;
  return typeof description === 'string' && description.trim() !== '' ? description.trim() : fallback;
}
