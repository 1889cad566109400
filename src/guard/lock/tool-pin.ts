import { createHash } from 'node:crypto';
import type { Tool } from '../../tool/tool.ts';

/** What a model and a policy know of a tool: a change of any of it is a change of the tool. */
export interface PinnedDefinition {
  readonly title?: string;
  readonly description: string;
  readonly risk?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/** A tool as `pegboard.lock` has it. */
export interface ToolPin {
  /** Where the tool comes from, such as `mcp files/read_file` or `cli pegboard.yaml`. */
  readonly origin: string;
  /** Of the definition, without its name. */
  readonly hash: string;
  readonly definition: PinnedDefinition;
}

/** Pins a tool: its definition without secrets, in a form that stays the same while the tool does. */
export function toPin(tool: Tool, origin: string, redact: (value: unknown) => unknown): ToolPin {
  const { displayName, description, risk } = tool.metadata;
  const definition = canonical(
    redact({
      ...(displayName === undefined ? {} : { title: displayName }),
      description,
      ...(risk === undefined ? {} : { risk }),
      inputSchema: readSchema(() => tool.inputSchema),
      ...(tool.outputSchema === undefined ? {} : { outputSchema: readSchema(() => tool.outputSchema) }),
    }),
    // What was put in comes out, sorted.
  ) as PinnedDefinition;
  return { origin, hash: hashOf(definition), definition };
}

/** The hash of a definition as it is written into the lock. */
export function hashOf(definition: unknown): string {
  const text = JSON.stringify(canonical(definition));
  return `sha256-${createHash('sha256').update(text).digest('base64url')}`;
}

function readSchema(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    // A schema that cannot be shown is the same every time.
    return null;
  }
}

/** A copy of JSON-like data with the keys of every object in order. Lists keep theirs. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(sorted.map(([key, item]) => [key, canonical(item)]));
}
