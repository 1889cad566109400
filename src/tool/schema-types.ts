import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonSchema } from './json.ts';
import type { ToolFailure, ToolResult, ToolSuccess } from './tool-result.ts';

/** A schema of a tool's input: zod 4, any Standard Schema library, or JSON Schema 2020-12. */
export type ToolSchema = StandardSchemaV1 | JsonSchema;

/** The type that callers may send. Inferred from JSON Schema literals as well. */
export type SchemaInput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : AsObject<FromJsonSchema<S, 'sent'>>;

/** The type that the tool's code receives, with defaults filled in. */
export type SchemaOutput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : string extends keyof S
    ? // A schema known only at run time has no types: the tool's code declares its own.
      // oxlint-disable-next-line typescript/no-explicit-any
      Record<string, any>
    : AsObject<FromJsonSchema<S, 'received'>>;

/** The type that a tool may return under its output schema: the value or a result with it. Anything without such a schema. */
export type OutputUnder<O> = [O] extends [ToolSchema]
  ? SchemaInput<O> extends infer T
    ? // A schema without properties accepts every object.
      Record<string, unknown> extends T
      ? object
      : T | ToolResult<T>
    : never
  : unknown;

/** The `data` of a call's result: the tool's return value, `undefined` for a text. */
export type DataOf<TOutput> = unknown extends TOutput
  ? unknown
  : TOutput extends ToolSuccess<infer T>
    ? T
    : TOutput extends ToolFailure
      ? never
      : TOutput extends string | undefined | void
        ? undefined
        : TOutput;

/** `unknown` for a schema of objects; for any other, a message that no schema is assignable to. */
export type OnlyObjects<S> =
  S extends StandardSchemaV1<infer T>
    ? unknown extends T
      ? unknown
      : [Extract<T, readonly unknown[]>, T] extends [never, object]
        ? unknown
        : NoObject
    : S extends { readonly type: infer T }
      ? TypeNames<T> extends infer N
        ? string extends N
          ? unknown
          : 'object' extends N
            ? unknown
            : NoObject
        : never
      : unknown;

type NoObject = 'A tool takes an object and returns one: write z.object({ … }), or type: "object"';

/**
 * Infers the values of a JSON Schema: types, `enum`, `const`, objects, arrays and alternatives, otherwise `unknown`. Properties with
 * defaults are optional in `sent` values and present in `received` ones.
 */
type FromJsonSchema<S, Way extends 'sent' | 'received'> = S extends { readonly const: infer T }
  ? T
  : S extends { readonly enum: readonly (infer T)[] }
    ? T
    : S extends { readonly anyOf: readonly (infer T)[] } | { readonly oneOf: readonly (infer T)[] }
      ? Also<S, Way, FromJsonSchema<T, Way>>
      : S extends { readonly type: infer T }
        ? OfType<S, TypeNames<T>, Way>
        : S extends { readonly properties: object }
          ? OfType<S, 'object', Way>
          : unknown;

/** An alternative combined with the properties next to it. */
type Also<S, Way extends 'sent' | 'received', T> = S extends { readonly properties: object }
  ? OfType<S, 'object', Way> & T
  : T;

type TypeNames<T> = T extends readonly (infer N)[] ? N : T;

type OfType<S, N, Way extends 'sent' | 'received'> = N extends 'string'
  ? string
  : N extends 'number' | 'integer'
    ? number
    : N extends 'boolean'
      ? boolean
      : N extends 'null'
        ? null
        : N extends 'array'
          ? S extends { readonly items: infer I }
            ? ArrayOf<FromJsonSchema<I, Way>, Way>
            : ArrayOf<unknown, Way>
          : N extends 'object'
            ? ObjectOf<S, Way>
            : unknown;

type ArrayOf<T, Way> = Way extends 'sent' ? readonly T[] : T[];

type ObjectOf<S, Way extends 'sent' | 'received'> = S extends { readonly properties: infer P }
  ? string extends keyof P
    ? Record<string, unknown>
    : Flat<
        { -readonly [K in Exclude<keyof P, Present<S, P, Way>>]?: FromJsonSchema<P[K], Way> } & {
          -readonly [K in Extract<keyof P, Present<S, P, Way>>]: FromJsonSchema<P[K], Way>;
        } & Others<S>
      >
  : S extends { readonly additionalProperties: infer A extends JsonSchema }
    ? Record<string, FromJsonSchema<A, Way>>
    : Record<string, unknown>;

/** The properties that are always present. */
type Present<S, P, Way> = Way extends 'sent' ? Exclude<RequiredKeys<S>, Defaulted<P>> : RequiredKeys<S> | Defaulted<P>;
type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;
type Defaulted<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];

/** Further properties, if the schema allows them. */
type Others<S> = S extends { readonly additionalProperties: true | JsonSchema } ? { [key: string]: unknown } : unknown;

type Flat<T> = { [K in keyof T]: T[K] } & {};

/** A tool's arguments are an object, even if its schema allows other values too. */
type AsObject<T> = unknown extends T ? Record<string, unknown> : Extract<T, object>;
