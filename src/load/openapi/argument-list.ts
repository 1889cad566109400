import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { freeName } from '../../tool/texts/suggest.ts';

/** An argument to add. */
interface NewArgument {
  /** The name in the API. */
  readonly name: string;
  /** Where it goes, for a name that is taken: `query`, `body`. */
  readonly location: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string | undefined;
}

/** The arguments of one tool, each under a name of its own. */
export interface ArgumentList {
  /** Adds an argument and gives the placeholder that stands for it. */
  add(argument: NewArgument): string;
  /** Tells whether an argument of this name would have to be renamed. */
  isTaken(name: string): boolean;
  /** The tool's input schema; `$defs` not included. */
  toSchema(): JsonSchema;
}

/** Starts a list. */
export function createArgumentList(): ArgumentList {
  const properties = new Map<string, JsonSchema>();
  const required: string[] = [];
  const freeNameFor = ({ name, location }: NewArgument): string => {
    const plain = toArgumentName(name);
    if (!properties.has(plain)) return plain;
    const placed = toArgumentName(`${plain.slice(0, 48)}_${location}`);
    return properties.has(placed) ? freeName(placed, (candidate) => properties.has(candidate)) : placed;
  };
  return {
    isTaken: (name) => properties.has(toArgumentName(name)),
    add: (argument) => {
      const name = freeNameFor(argument);
      const { description, schema } = argument;
      properties.set(name, description === undefined ? schema : { ...schema, description });
      if (argument.required) required.push(name);
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

/** The properties of an object schema, with whether each must be given. */
export function listProperties(schema: JsonSchema): { name: string; schema: JsonSchema; required: boolean }[] {
  const { properties, required } = schema;
  if (!isPlainObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: isPlainObject(property) ? property : {},
    required: Array.isArray(required) && required.includes(name),
  }));
}
