import type { PortabilityEntry } from '../portability-report.ts';
import { createReferenceFinder, type SchemaNode } from '../../tool/parameters/schema-node.ts';

/** Reports a change to a place; the exporter adds the tool's name. */
export type ReportChange = (change: Omit<PortabilityEntry, 'tool'>) => void;

/** The state that all rewriting rules of one tool share. */
export interface RewriteContext {
  readonly provider: string;
  readonly resolve: ResolveRef;
  readonly report: ReportChange;
}

/** An exported schema, with conversions of arguments in both directions. */
export interface RewrittenArguments {
  readonly schema: SchemaNode;
  /** Restores a call's arguments for the original schema. */
  restore(input: unknown): unknown;
  /** Converts arguments for the original schema to the provider's, for examples. */
  translate(input: unknown): unknown;
}

/** The path of the arguments as a whole. */
export const ROOT_PATH = '(arguments)';

/** Returns the path of an argument inside another. */
export function childPath(path: string, key: string): string {
  return path === ROOT_PATH ? key : `${path}.${key}`;
}

/** Returns the path of a keyword's subschema: an item, a property, or the place itself. */
export function innerPath(path: string, keyword: string, key: string | undefined): string {
  if (keyword === 'items') return `${path}[]`;
  return keyword === 'properties' && key !== undefined ? childPath(path, key) : path;
}

/** Returns the target of a `$ref`; throws `Unportable` if it is not inside the schema. */
export type ResolveRef = (reference: string, path: string) => SchemaNode;

/** Creates a resolver for the `$ref`s of one schema, after `modernSchema`. */
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

/**
 * Thrown by `rewriteSchema` or an exporter's `writeTool` when a provider cannot describe a place of a tool. The tool is skipped,
 * and the report contains path, rule and message.
 */
export class Unportable extends Error {
  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string, message: string) {
    super(message);
    this.name = 'Unportable';
    this.path = path;
    this.rule = rule;
  }
}
