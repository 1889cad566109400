import type { PortabilityEntry } from '../portability-report.ts';
import { Unportable } from './unportable.ts';
import { createReferenceFinder } from '../../tool/parameters/resolve-reference.ts';
import type { SchemaNode } from '../../tool/parameters/schema-node.ts';

/** Notes what was done to a place; the export loop adds the tool's name. */
export type ReportChange = (change: Omit<PortabilityEntry, 'tool'>) => void;

/** What every rewriting rule of one tool shares. */
export interface RewriteContext {
  readonly provider: string;
  readonly resolve: ResolveRef;
  readonly report: ReportChange;
}

/** An exported schema, and the arguments' way back and forth. */
export interface RewrittenArguments {
  readonly schema: SchemaNode;
  /** Turns a call's arguments back into ours. */
  restore(input: unknown): unknown;
  /** Turns arguments of ours into the provider's, for examples. */
  translate(input: unknown): unknown;
}

/** The place that stands for the arguments as a whole. */
export const ROOT_PATH = '(arguments)';

/** The path of an argument inside another. */
export function childPath(path: string, key: string): string {
  return path === ROOT_PATH ? key : `${path}.${key}`;
}

/** The path of a subschema that a keyword holds: an item, a property, or the place itself. */
export function innerPath(path: string, keyword: string, key: string | undefined): string {
  if (keyword === 'items') return `${path}[]`;
  return keyword === 'properties' && key !== undefined ? childPath(path, key) : path;
}

/** Looks up what a `$ref` points to; throws `Unportable` when that is not inside the schema. */
export type ResolveRef = (reference: string, path: string) => SchemaNode;

/** A resolver for the `$ref`s of one schema, after `modernSchema`. */
export function createRefResolver(root: SchemaNode): ResolveRef {
  const find = createReferenceFinder(root);
  return (reference, path) => {
    const target = find(reference);
    if (target !== undefined) return target;
    const fix = reference.startsWith('#')
      ? 'Add it under $defs.'
      : 'Copy that schema under $defs: references are never fetched.';
    throw new Unportable(path, '$ref', `"${reference}" is not in the schema. ${fix}`);
  };
}
