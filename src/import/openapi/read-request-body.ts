import type { EntryStyle } from '../../platform/http/template/template.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { type ArgumentList, isFixedObject, listProperties } from './argument-list.ts';
import type { SchemaConverter } from './convert-schema.ts';
import { mayHaveParts, notEmpty, styleOf } from './place-parameters.ts';
import { type BodyPlaces, readExamples, type ShownValue } from './read-examples.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** The template of an operation's body, or the reason why it cannot be sent. */
export type RequestBody =
  | { readonly type: 'none' }
  | {
      readonly type: 'body';
      readonly body: string | Readonly<Record<string, string>> | undefined;
      /** The parts of a form with files, instead of `body`. */
      readonly multipart?: Readonly<Record<string, string | FilePart>>;
      /** The arguments that are file paths. */
      readonly paths?: readonly string[];
      /** Set if the body's shape does not imply it. */
      readonly contentType: string | undefined;
      /** The styles of lists and objects in a form. */
      readonly styles: Readonly<Record<string, EntryStyle>>;
      readonly examples: readonly ShownValue[];
      readonly places: BodyPlaces;
    }
  | { readonly type: 'unsupported'; readonly reason: string };

/** A part that is a file, or has its own type. */
export interface FilePart {
  readonly path?: string;
  readonly content?: string;
  readonly type?: string;
}

const FORM = 'application/x-www-form-urlencoded';

interface BodyTools {
  readonly list: ArgumentList;
  readonly converter: SchemaConverter;
  readonly reader: ReferenceReader;
  readonly method: string;
}

/** Creates arguments for a request body, and the template that joins them. */
export function readRequestBody(node: DocumentNode | undefined, tools: BodyTools): RequestBody {
  const content = node?.['content'];
  if (node === undefined || !isPlainObject(content) || Object.keys(content).length === 0) return { type: 'none' };
  const choice = chooseMediaType(Object.keys(content));
  if (choice === undefined) return { type: 'unsupported', reason: explainTypes(Object.keys(content)) };
  const { list, converter, reader } = tools;
  const { mediaType, kind } = choice;
  const media = reader.follow(content[mediaType]) ?? {};
  const schema = converter.convert(media['schema']);
  const resolved = converter.resolve(schema);
  const examples = [...readExamples(media, reader), ...schemaExamples(resolved)];
  const isAsked = node['required'] === true;
  const contentType = kind === 'json' && !/[/+]json\b/.test(mediaType) ? undefined : mediaType;
  const sentType = contentType === 'application/json' ? undefined : contentType;
  const whole = (given: JsonSchema, description: string | undefined): string =>
    list.add({ name: 'body', location: 'body', schema: given, required: isAsked, description });
  const nameOf = (placeholder: string): string => placeholder.slice(2, -2);
  if (kind === 'multipart') return readMultipart(listProperties(resolved), { ...tools, media, isAsked, resolved });
  if (kind === 'text') {
    const body = whole({ type: 'string' }, describe(node, `The body, as ${mediaType}.`));
    return { type: 'body', body, contentType: mediaType, styles: {}, examples, places: nameOf(body) };
  }
  const properties = listProperties(resolved);
  // Some documents describe an empty form for requests without a body.
  if (kind === 'form' && properties.length === 0 && isEmptyObject(resolved)) return { type: 'none' };
  // Many documents forget to mark a body as required; a body with required parts cannot be omitted.
  const isRequired = isAsked || (SENDS_BODY.has(tools.method) && properties.some(({ required }) => required));
  const isWhole = isRequired || properties.every(({ required }) => !required);
  // A form cannot be one argument, so clashing names are changed there.
  const isFree = (name: string): boolean => (kind === 'form' || !list.isTaken(name)) && !name.includes('{{');
  if (isFixedObject(resolved) && properties.every(({ name }) => isFree(name)) && (isWhole || kind === 'form')) {
    const body = properties.map(({ name, schema: part, required }): [string, string] => {
      const isNeeded = required && isRequired;
      const own = isNeeded && kind === 'form' ? notEmpty(part, converter) : part;
      return [name, list.add({ name, location: 'body', schema: own, required: isNeeded, sample: sampleOf(part) })];
    });
    return {
      type: 'body',
      body: Object.fromEntries(body),
      contentType: sentType,
      styles: kind === 'form' ? readStyles(properties, media, converter) : {},
      examples,
      places: new Map(body.map(([name, placeholder]) => [name, nameOf(placeholder)])),
    };
  }
  const body = whole(schema, describe(node, undefined));
  if (kind === 'form') {
    // The fields are those of the argument.
    const styles = { body: 'spread' as const };
    return { type: 'body', body: { body }, contentType: sentType, styles, examples, places: nameOf(body) };
  }
  // Text under a JSON type is parsed as JSON with a placeholder, so the type must be given.
  const places = nameOf(body);
  return { type: 'body', body, contentType: contentType ?? 'application/json', styles: {}, examples, places };
}

/** Creates arguments for the parts of a form with files: a file is sent by its path. */
function readMultipart(
  properties: ReturnType<typeof listProperties>,
  tools: BodyTools & { readonly media: DocumentNode; readonly isAsked: boolean; readonly resolved: JsonSchema },
): RequestBody {
  const { list, converter, reader, media, method } = tools;
  if (!SENDS_BODY.has(method) || !isFixedObject(tools.resolved))
    return { type: 'unsupported', reason: 'the parts of its form are not fixed' };
  const isRequired = tools.isAsked || properties.some(({ required }) => required);
  const parts: [string, string | FilePart][] = [];
  const paths: string[] = [];
  for (const { name, schema, required } of properties) {
    const target = converter.resolve(schema);
    if ([target['type']].flat().includes('array')) {
      if (required) return { type: 'unsupported', reason: `it sends several parts "${name}"` };
      reader.note(`The part "${name}" of a form was left out: it can be sent several times.`);
      continue;
    }
    const argument = { name, location: 'body', required: required && isRequired };
    if (!isBinary(target)) {
      const placeholder = list.add({ ...argument, schema, sample: sampleOf(schema) });
      const isObject = target['type'] === 'object' || target['properties'] !== undefined;
      parts.push([name, isObject ? { content: placeholder, type: 'application/json' } : placeholder]);
      continue;
    }
    const text = typeof target['description'] === 'string' ? `${target['description'].trim()} ` : '';
    const placeholder = list.add({
      ...argument,
      schema: { type: 'string', description: `${text}The path of a file.` },
    });
    paths.push(placeholder.slice(2, -2));
    const { contentType } = isPlainObject(media['encoding']) ? followPart(media['encoding'], name) : {};
    const isOne = typeof contentType === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(contentType);
    parts.push([name, isOne ? { path: placeholder, type: contentType } : { path: placeholder }]);
  }
  const multipart = Object.fromEntries(parts);
  const places = new Map<string, string>();
  return { type: 'body', body: undefined, multipart, paths, contentType: undefined, styles: {}, examples: [], places };
}

function isBinary({ format, contentEncoding, contentMediaType }: JsonSchema): boolean {
  return format === 'binary' || contentEncoding !== undefined || contentMediaType !== undefined;
}

function followPart(encoding: DocumentNode, name: string): DocumentNode {
  const part = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  return isPlainObject(part) ? part : {};
}

const SENDS_BODY = new Set(['post', 'put', 'patch']);

/** Returns the styles of lists and objects among the fields of a form. */
function readStyles(
  properties: readonly { readonly name: string; readonly schema: JsonSchema }[],
  media: DocumentNode,
  converter: SchemaConverter,
): Record<string, EntryStyle> {
  const { encoding } = media;
  const found = properties.flatMap(({ name, schema }): [string, EntryStyle][] => {
    const own = isPlainObject(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
    if (!isPlainObject(own) || !mayHaveParts(converter.resolve(schema))) return [];
    const { style, explode } = own;
    if (style === undefined && explode === undefined) return [];
    const usedStyle = typeof style === 'string' ? style : 'form';
    const isExploded = typeof explode === 'boolean' ? explode : usedStyle === 'form';
    const written = styleOf({ style: usedStyle, explode: isExploded, isJson: false });
    const isList = converter.resolve(schema)['type'] === 'array';
    return written === undefined || (written === 'spread' && isList) ? [] : [[name, written]];
  });
  return Object.fromEntries(found);
}

function isEmptyObject({ type, additionalProperties, anyOf, oneOf, allOf }: JsonSchema): boolean {
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  return type === 'object' && isClosed && anyOf === undefined && oneOf === undefined && allOf === undefined;
}

function schemaExamples({ examples }: JsonSchema): ShownValue[] {
  return Array.isArray(examples) ? examples.map((value: unknown) => ({ value, summary: undefined })) : [];
}

function sampleOf({ examples }: JsonSchema): unknown {
  return Array.isArray(examples) ? examples[0] : undefined;
}

function chooseMediaType(
  types: readonly string[],
): { mediaType: string; kind: 'json' | 'form' | 'multipart' | 'text' } | undefined {
  const find = (pattern: RegExp): string | undefined => types.find((type) => pattern.test(type.toLowerCase()));
  const json = find(/^application\/json\b/) ?? find(/[/+]json\b/) ?? find(/^\*\/\*|^application\/\*/);
  if (json !== undefined) return { mediaType: json, kind: 'json' };
  const form = find(new RegExp(`^${FORM}`));
  if (form !== undefined) return { mediaType: form, kind: 'form' };
  const multipart = find(/^multipart\/form-data/);
  if (multipart !== undefined) return { mediaType: multipart, kind: 'multipart' };
  const text = find(/^text\/(?!\*)|[/+](?:xml|yaml|x-yaml|x-ndjson|graphql)\b/);
  return text === undefined ? undefined : { mediaType: text, kind: 'text' };
}

function explainTypes(types: readonly string[]): string {
  return types.some((type) => /^multipart\/|octet-stream|^\*|^image\/|^audio\/|^video\//i.test(type))
    ? `it uploads files (${types.join(', ')})`
    : `its body has a type that cannot be sent (${types.join(', ')})`;
}

function describe(node: DocumentNode, fallback: string | undefined): string | undefined {
  const { description } = node;
  return typeof description === 'string' && description.trim() !== '' ? description.trim() : fallback;
}
