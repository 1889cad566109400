import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { readJsonSchema } from '../../tool/schema/read-json-schema.ts';
import type { ArgumentList } from './argument-list.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';
import { toWords } from './name-operations.ts';

/** An example value from the document. */
export interface ShownValue {
  readonly value: unknown;
  readonly summary: string | undefined;
}

/** The argument for the whole body, or the arguments for its properties, by name. */
export type BodyPlaces = string | ReadonlyMap<string, string>;

/** A worked call of a tool. */
export interface ToolExample {
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const MOST_EXAMPLES = 3;
const MOST_CHARACTERS = 2000;
/** The most values to check, each against the whole schema. */
const MOST_SHOWN = 100;

/** Reads the `example` and the `examples` of a parameter or a body. */
export function readExamples(node: DocumentNode, reader: ReferenceReader): ShownValue[] {
  const { example, examples } = node;
  const shown: ShownValue[] = example === undefined ? [] : [{ value: example, summary: undefined }];
  for (const item of isPlainObject(examples) ? Object.values(examples).slice(0, MOST_SHOWN) : []) {
    const found = reader.follow(item);
    const value = found?.['value'] ?? found?.['dataValue'];
    const summary = found?.['summary'];
    if (value !== undefined) shown.push({ value, summary: typeof summary === 'string' ? summary : undefined });
  }
  return shown;
}

/** Creates the worked calls that a tool's schema allows: the document's bodies with its parameters. */
export function makeExamples(source: {
  readonly list: ArgumentList;
  /** The examples of the body, and the arguments they become. */
  readonly body: { readonly examples: readonly ShownValue[]; readonly places: BodyPlaces } | undefined;
  readonly schema: JsonSchema;
  readonly description: string;
}): ToolExample[] {
  const { list, body, schema } = source;
  const shownBodies = body?.examples ?? [];
  const own = Object.fromEntries(list.samples);
  const bodies = shownBodies.length > 0 ? shownBodies : [{ value: undefined, summary: undefined }];
  if (!list.hasShownSample && shownBodies.length === 0) return [];
  const names = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const needed = Object.fromEntries(Object.entries(own).filter(([name]) => names.has(name)));
  let isValid: ((input: unknown) => boolean) | undefined;
  const found: ToolExample[] = [];
  for (const { value, summary } of bodies.slice(0, MOST_SHOWN)) {
    const fromBody = value === undefined || body === undefined ? {} : toArguments(value, body.places);
    const inputs =
      fromBody === undefined
        ? []
        : [
            { ...own, ...fromBody },
            { ...needed, ...fromBody },
          ];
    const input = inputs.find((candidate) => {
      if (Object.keys(candidate).length === 0 || JSON.stringify(candidate).length > MOST_CHARACTERS) return false;
      isValid ??= createCheck(schema);
      return isValid(candidate);
    });
    const isNew = found.every((example) => JSON.stringify(example.input) !== JSON.stringify(input));
    if (input !== undefined && isNew) found.push({ description: summary ?? source.description, input });
    if (found.length === MOST_EXAMPLES) break;
  }
  return found;
}

/** Converts a body to arguments; `undefined` if a part has no argument. */
function toArguments(value: unknown, places: BodyPlaces): Record<string, unknown> | undefined {
  if (typeof places === 'string') return { [places]: value };
  if (!isPlainObject(value)) return undefined;
  const entries = Object.entries(value).map(([name, part]) => [places.get(name), part] as const);
  if (entries.some(([name]) => name === undefined)) return undefined;
  return Object.fromEntries(entries);
}

function createCheck(schema: JsonSchema): (input: unknown) => boolean {
  try {
    const reader = readJsonSchema(schema);
    return (input) => reader.validate(input).ok;
  } catch {
    return () => false;
  }
}

const MOST = 8;
const LONGEST = 120;
/** Names of examples that say nothing about the request. */
const PLAIN = /^(?:default|example|sample|request|response|success|ok|body|value|test)?[\s_-]*\d*$/i;

/** The sources of an operation's texts. */
interface SaidOperation {
  readonly id: string;
  readonly operation: DocumentNode;
  readonly pathItem: DocumentNode;
  /** Texts that the tool already has. */
  readonly description: string;
}

/**
 * Finds further texts about an operation, for searches: the words of its id if the tool has another name, and names and summaries
 * of examples of parameters, bodies and responses.
 */
export function readUtterances(
  { id, operation, pathItem, description }: SaidOperation,
  reader: ReferenceReader,
): string[] {
  const { operationId, responses, requestBody } = operation;
  const lists = [pathItem['parameters'], operation['parameters']];
  const parameters = lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const nodes: unknown[] = [
    ...parameters.map((parameter) => reader.follow(parameter)),
    ...contentsOf(requestBody === undefined ? undefined : reader.follow(requestBody)),
    // References in responses are not needed for a call, so they may be missing.
    ...valuesOf(responses).flatMap(contentsOf),
  ];
  const said = nodes.flatMap((node) => {
    const examples = isPlainObject(node) ? node['examples'] : undefined;
    return isPlainObject(examples) ? Object.entries(examples).map(describe) : [];
  });
  const own = typeof operationId === 'string' ? toWords(operationId) : [];
  const known = new Set(toWords(id));
  const words = own.every((word) => known.has(word)) ? [] : [own.join(' ')];
  const seen = new Set([description.toLowerCase()]);
  const found: string[] = [];
  for (const text of [...words, ...said]) {
    const isNew = text.length > 0 && ![...seen].some((other) => other.includes(text.toLowerCase()));
    if (!isNew || found.length === MOST) continue;
    seen.add(text.toLowerCase());
    found.push(text);
  }
  return found;
}

/** Returns the summary of an example, or its name if that is meaningful. */
function describe([name, item]: readonly [string, unknown]): string {
  const summary = isPlainObject(item) ? item['summary'] : undefined;
  const text = typeof summary === 'string' ? summary : PLAIN.test(name) ? '' : toWords(name).join(' ');
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > LONGEST || PLAIN.test(line) ? '' : line;
}

/** Returns the media types of a body or a response. */
function contentsOf(node: unknown): unknown[] {
  return isPlainObject(node) ? valuesOf(node['content']) : [];
}

function valuesOf(node: unknown): unknown[] {
  return isPlainObject(node) ? Object.values(node) : [];
}
