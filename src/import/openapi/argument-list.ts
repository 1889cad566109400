import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { createFreeNames } from '../../tool/texts/suggest.ts';

interface NewArgument {
  /** The name in the API. */
  readonly name: string;
  /** Its place, appended to a name that is taken: `query`, `body`. */
  readonly location: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string | undefined;
  /** A value from the document, or one that can be used with such values. */
  readonly sample?: unknown;
  /** True when the sample is from the document. Default: true. */
  readonly isShown?: boolean;
}

/** The arguments of one tool, each with a unique name. */
export interface ArgumentList {
  /** Adds an argument and returns its placeholder. */
  add(argument: NewArgument): string;
  /** True when an argument of this name would have to be renamed. */
  isTaken(name: string): boolean;
  readonly size: number;
  /** True when any sample is from the document. */
  readonly hasShownSample: boolean;
  readonly samples: ReadonlyMap<string, unknown>;
  /** Returns the tool's input schema, without `$defs`. */
  toSchema(): JsonSchema;
}

export function createArgumentList(): ArgumentList {
  const properties = new Map<string, JsonSchema>();
  const required: string[] = [];
  const samples = new Map<string, unknown>();
  let hasShownSample = false;
  const freeName = createFreeNames((candidate) => properties.has(candidate));
  const freeNameFor = ({ name, location }: NewArgument): string => {
    const plain = toArgumentName(name);
    if (!properties.has(plain)) return plain;
    const placed = toArgumentName(`${plain.slice(0, 48)}_${location}`);
    return properties.has(placed) ? freeName(placed) : placed;
  };
  return {
    samples,
    get size() {
      return properties.size;
    },
    get hasShownSample() {
      return hasShownSample;
    },
    isTaken: (name) => properties.has(toArgumentName(name)),
    add: (argument) => {
      const name = freeNameFor(argument);
      const { description, schema } = argument;
      properties.set(name, description === undefined ? schema : { ...schema, description });
      if (argument.required) required.push(name);
      if (argument.sample !== undefined) {
        samples.set(name, argument.sample);
        hasShownSample ||= argument.isShown !== false;
      }
      return `{{${name}}}`;
    },
    toSchema: () => ({
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    }),
  };
}

/** Names that a call rejects because they have a meaning for objects. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns a name that every model provider accepts: 1 to 64 of `A-Z a-z 0-9 _ . -`. */
function toArgumentName(name: string): string {
  const bare = name.replaceAll(/^[^A-Za-z0-9_.-]+|[^A-Za-z0-9_.-]+$/g, '');
  const plain = bare.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 64);
  if (plain === '') return 'value';
  return RESERVED.has(plain) ? `${plain}_value` : plain;
}

/** Returns the properties of an object schema. A name may be required without being described. */
export function listProperties(schema: JsonSchema): { name: string; schema: JsonSchema; required: boolean }[] {
  const described = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(
    Array.isArray(schema['required']) ? schema['required'].filter((name) => typeof name === 'string') : [],
  );
  return [...new Set([...Object.keys(described), ...required])].map((name) => {
    const property = Object.hasOwn(described, name) ? described[name] : undefined;
    return { name, schema: isPlainObject(property) ? property : {}, required: required.has(name) };
  });
}

/** True when an object consists only of its named properties, so that each can be an argument. */
export function isFixedObject(schema: JsonSchema): boolean {
  const { type, additionalProperties } = schema;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  const isObject = type === 'object' || type === undefined;
  return isObject && !isOpen && !MORE.some((key) => schema[key] !== undefined) && listProperties(schema).length > 0;
}

/** Keywords about the object as a whole. */
const MORE =
  'allOf anyOf oneOf not if patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas unevaluatedProperties'.split(
    ' ',
  );
