import type { JsonSchema } from '../../tool/json.ts';
import type { CliArgument } from './cli-settings.ts';

/** The JSON Schema of a command line's arguments, and of no others. */
export function cliInputSchema(args: readonly CliArgument[]): JsonSchema {
  const required = args.filter((arg) => arg.required && arg.default === undefined).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(args.map((arg) => [arg.name, argumentSchema(arg)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function argumentSchema({ type, description, default: value, enum: values, pattern }: CliArgument): JsonSchema {
  return {
    type,
    ...(description === undefined || description === '' ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    ...(values === undefined ? {} : { enum: values }),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    // Beyond these a number no longer is the integer that was written.
    ...(type === 'integer' ? { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } : {}),
  };
}
