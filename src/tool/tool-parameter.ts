import type { JsonSchema } from './json.ts';

/**
 * A parameter of a class-based tool. Create it with `ToolParameter.string` and similar functions.
 *
 * @example
 * const parameters = [
 *   ToolParameter.string('query', 'The search query'),
 *   ToolParameter.integer('limit', 'Max results', { default: 10 }),
 *   ToolParameter.enum('order', 'What comes first', ['newest', 'best'], { required: false }),
 * ];
 */
export interface ToolParameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** Options of a `ToolParameter`. */
export interface ToolParameterOptions<T = unknown> {
  /** Default: true, or false with a default. */
  readonly required?: boolean;
  /** The value for a missing argument. */
  readonly default?: T;
}

/** The kinds of parameters. */
export const ToolParameter = {
  string: scalar<string>('string'),
  integer: scalar<number>('integer'),
  number: scalar<number>('number'),
  boolean: scalar<boolean>('boolean'),

  /** One of a few values. */
  // oxlint-disable-next-line max-params -- the shape of the class-style API
  enum: <const T extends string | number>(
    name: string,
    description: string,
    values: readonly T[],
    options?: ToolParameterOptions<T>,
  ): ToolParameter => parameter(name, { ...enumType(values), enum: [...values], description }, options),

  /** A list; `items` is a JSON Schema or another parameter. */
  array: (
    name: string,
    description: string,
    options: ToolParameterOptions<readonly unknown[]> & { readonly items?: JsonSchema | ToolParameter } = {},
  ): ToolParameter => {
    const { items, ...rest } = options;
    const itemSchema = items === undefined ? {} : isParameter(items) ? items.schema : items;
    return parameter(name, { type: 'array', items: itemSchema, description }, rest);
  },

  /** An object with parameters of its own. */
  // oxlint-disable-next-line max-params -- the shape of the class-style API
  object: (
    name: string,
    description: string,
    parameters: readonly ToolParameter[],
    options?: ToolParameterOptions<Readonly<Record<string, unknown>>>,
  ): ToolParameter => parameter(name, { ...toObjectSchema(parameters), description }, options),
};

/** Builds the JSON Schema of an object with exactly these parameters. */
export function toObjectSchema(parameters: readonly ToolParameter[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function scalar<T>(
  type: string,
): (name: string, description: string, options?: ToolParameterOptions<T>) => ToolParameter {
  return (name, description, options) => parameter(name, { type, description }, options);
}

function parameter(name: string, schema: JsonSchema, options: ToolParameterOptions = {}): ToolParameter {
  const hasDefault = options.default !== undefined;
  return {
    name,
    required: options.required ?? !hasDefault,
    schema: hasDefault ? { ...schema, default: options.default } : schema,
  };
}

function enumType(values: readonly unknown[]): JsonSchema {
  const types = new Set(values.map((value) => typeof value));
  return types.size === 1 ? { type: [...types][0] } : {};
}

function isParameter(value: JsonSchema | ToolParameter): value is ToolParameter {
  return typeof value['name'] === 'string' && typeof value['required'] === 'boolean' && 'schema' in value;
}
