import type { DataOf } from '../../tool/schema-types.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';

/** The type that `register` adds to a registry: these tools by their names, where the compiler knows the names. */
export interface RegistryOf<T> {
  readonly '~tools': { readonly [K in T as NameOf<K>]: K };
  readonly '~open': true extends IsUnnamed<T> ? true : unknown;
}

/** A tool of a registry; `Tool` if the compiler knows none with this name. */
export type Known<T, N> = N extends keyof T ? T[N] : Tool;

/** The items of an array or another iterable. */
export type ItemOf<L> = L extends readonly (infer T)[] ? T : L extends Iterable<infer T> ? T : never;

/** A name to complete, or any other: aliases, exported names, and tools that are added at run time. */
// `string & {}` is any string, but keeps the union from becoming `string`, so that editors complete the known names.
export type AnyName<T> = (keyof T & string) | (string & {});

/**
 * A name that a call may use. If the compiler knows all tools of a registry, a literal name must be one of theirs; a name of the type
 * `string` may be any.
 */
export type CallName<R extends KnownTools, N> = string extends N
  ? N
  : [keyof R['~tools']] extends [never]
    ? N
    : R['~open'] extends true
      ? N
      : N extends keyof R['~tools']
        ? N
        : NoToolHasThisName<keyof R['~tools'] & string>;

/** The tools of a registry, as far as the compiler knows them. */
export interface KnownTools {
  readonly '~tools': object;
  readonly '~open': unknown;
}

/** A sentence for the compiler's message. Call an alias, or a tool that is added at run time, with `name as string`. */
interface NoToolHasThisName<Names extends string> {
  readonly 'use one of': Names;
}

/** The arguments after the name in a call: those of a known tool, anything for others. */
export type CallArguments<T, N> = N extends keyof T
  ? InputOf<T[N]> extends infer I
    ? {} extends I
      ? [args?: I, options?: CallOptions]
      : [args: I, options?: CallOptions]
    : never
  : [args?: unknown, options?: CallOptions];

/** The result of a call: with the data of a known tool. */
export type CallResult<T, N> = ToolResult<N extends keyof T ? DataOf<OutputOf<T[N]>> : unknown>;

type NameOf<T> = T extends { readonly metadata: { readonly name: infer N extends string } }
  ? string extends N
    ? never
    : N
  : never;
/** True if the names of some tools are known only at run time. */
type IsUnnamed<T> = T extends T ? ([NameOf<T>] extends [never] ? true : never) : never;
type InputOf<T> = T extends Tool<infer I> ? I : unknown;
type OutputOf<T> = T extends Tool<infer _, infer O> ? O : unknown;
