import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { createFreeNames } from '../../tool/texts/suggest.ts';

/** An argument to add. */
interface NewArgument {
  /** The name in the API. */
  readonly name: string;
  /** Its place, added to a name that is taken: `query`, `body`. */
  readonly location: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string | undefined;
  /** A value that the document shows for it, or one that can stand beside such values. */
  readonly sample?: unknown;
  /** True when the document shows it. Default: true. */
  readonly isShown?: boolean;
}

/** The arguments of one tool, each under a name of its own. */
export interface ArgumentList {
  /** Adds an argument and gives the placeholder that stands for it. */
  add(argument: NewArgument): string;
  /** Tells whether an argument of this name would have to be renamed. */
  isTaken(name: string): boolean;
  /** The number of arguments. */
  readonly size: number;
  /** True when the document shows a value of an argument. */
  readonly hasShownSample: boolean;
  /** Sample values, by the names of arguments. */
  readonly samples: ReadonlyMap<string, unknown>;
  /** The tool's input schema; `$defs` not included. */
  toSchema(): JsonSchema;
}

/** Starts a list. */
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

/** Names that a guarded call refuses, because objects have a meaning for them. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** A name that every model provider takes: 1 to 64 of `A-Z a-z 0-9 _ . -`. */
function toArgumentName(name: string): string {
  const bare = name.replaceAll(/^[^A-Za-z0-9_.-]+|[^A-Za-z0-9_.-]+$/g, '');
  const plain = bare.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 64);
  if (plain === '') return 'value';
  return RESERVED.has(plain) ? `${plain}_value` : plain;
}

/** The properties of an object schema, with whether each must be given. A name may be required and not described. */
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

/** True when an object is nothing but the properties it names, so that each can be an argument of its own. */
export function isFixedObject(schema: JsonSchema): boolean {
  const { type, additionalProperties } = schema;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  const isObject = type === 'object' || type === undefined;
  return isObject && !isOpen && !MORE.some((key) => schema[key] !== undefined) && listProperties(schema).length > 0;
}

/** Keywords that speak of the object as a whole. */
const MORE =
  'allOf anyOf oneOf not if patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas unevaluatedProperties'.split(
    ' ',
  );
