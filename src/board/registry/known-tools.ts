import type { DataOf } from '../../tool/schema-types.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';

/** What `register` adds to a registry's type: these tools by their names, where the compiler knows the names. */
export interface RegistryOf<T> {
  readonly '~tools': { readonly [K in T as NameOf<K>]: K };
}

/** A tool of a registry; just a tool where the compiler knows none of this name. */
export type Known<T, N> = N extends keyof T ? T[N] : Tool;

/** What an array or another iterable holds. */
export type ItemOf<L> = L extends readonly (infer T)[] ? T : L extends Iterable<infer T> ? T : never;

/** A name to complete, or any other: aliases, names of exporters, and tools that came at run time. */
// `string & {}` is any string, but keeps the union from becoming `string`, so that editors complete the known names.
export type AnyName<T> = (keyof T & string) | (string & {});

/** What follows the name in a call: the arguments of a known tool, anything for any other. */
export type CallArguments<T, N> = N extends keyof T
  ? InputOf<T[N]> extends infer I
    ? {} extends I
      ? [args?: I, options?: CallOptions]
      : [args: I, options?: CallOptions]
    : never
  : [args?: unknown, options?: CallOptions];

/** What a call gives: with the data of a known tool. */
export type CallResult<T, N> = ToolResult<N extends keyof T ? DataOf<OutputOf<T[N]>> : unknown>;

type NameOf<T> = T extends { readonly metadata: { readonly name: infer N extends string } }
  ? string extends N
    ? never
    : N
  : never;
type InputOf<T> = T extends Tool<infer I> ? I : unknown;
type OutputOf<T> = T extends Tool<infer _, infer O> ? O : unknown;
