import { createHash } from 'node:crypto';
import { serverFactsOf } from '../../tool/server-words.ts';
import type { ToolIcon } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';

/** A tool's definition for models, clients, people and policies: a change of any part changes the tool. */
export interface PinnedDefinition {
  readonly title?: string;
  readonly description: string;
  readonly risk?: string;
  /** Arguments with a greater risk. */
  readonly argumentRisks?: unknown;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  /** Hints; missing in old pins, which also lack execution, icons and `_meta`. */
  readonly annotations?: unknown;
  readonly execution?: unknown;
  /** Icons; large data URLs are replaced by their hash. */
  readonly icons?: unknown;
  readonly _meta?: unknown;
}

/** A tool in `pegboard.lock`. */
export interface ToolPin {
  /** The tool's origin, such as `mcp files/read_file` or `cli pegboard.yaml`. */
  readonly origin: string;
  /** The hash of the definition without its name. */
  readonly hash: string;
  readonly definition: PinnedDefinition;
}

/** Creates the pin of a tool: its definition without secrets, in a form that only changes with the tool. */
export function toPin(tool: Tool, origin: string, redact: (value: unknown) => unknown): ToolPin {
  const { displayName, description, risk, argumentRisks, annotations = {}, icons, _meta } = tool.metadata;
  const { said } = serverFactsOf(tool) ?? {};
  const inputSchema = said?.inputSchema ?? readSchema(() => tool.inputSchema);
  const outputSchema = said?.outputSchema ?? (tool.outputSchema && readSchema(() => tool.outputSchema));
  const definition = canonical(
    redact({
      ...(displayName === undefined ? {} : { title: displayName }),
      description,
      ...(risk === undefined ? {} : { risk }),
      ...(argumentRisks === undefined ? {} : { argumentRisks }),
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations,
      ...(said?.execution === undefined ? {} : { execution: said.execution }),
      ...(icons === undefined ? {} : { icons: icons.map(shortenIcon) }),
      ...(_meta === undefined ? {} : { _meta }),
    }),
    // The sorted copy has the same fields.
  ) as PinnedDefinition;
  return { origin, hash: hashOf(definition), definition };
}

/** Returns true for a pin that is older than pinned hints, `_meta` and icons. */
export function isOldPin({ definition }: Pick<ToolPin, 'definition'>): boolean {
  return definition.annotations === undefined;
}

/** Converts a pin to the form of old locks, without the parts that they did not pin. */
export function toOldPin({ origin, definition }: ToolPin): ToolPin {
  const { annotations: _hints, execution: _run, icons: _pictures, _meta, ...words } = definition;
  return { origin, hash: hashOf(words), definition: words };
}

/** Returns the pinned parts of a prompt, resource or template: its texts, not its current size. */
export function toOfferPin(listing: object, redact: (value: unknown) => unknown): unknown {
  const {
    size: _now,
    annotations,
    icons,
    ...words
  } = { annotations: undefined, icons: undefined, size: 0, ...listing };
  const { lastModified: _then, ...hints } = Object(annotations);
  const pictures: unknown[] = Array.isArray(icons) ? icons : [];
  return canonical(
    redact({
      ...words,
      ...(Object.keys(hints).length === 0 ? {} : { annotations: hints }),
      // Each icon has an address: this was checked when they were listed.
      ...(pictures.length === 0 ? {} : { icons: pictures.map((icon) => shortenIcon(icon as ToolIcon)) }),
    }),
  );
}

const MAX_ADDRESS = 300;

/** A data URL would fill the lock; its hash detects a change just as well. */
function shortenIcon(icon: ToolIcon): ToolIcon {
  return icon.src.length > MAX_ADDRESS ? { ...icon, src: hashOf(icon.src) } : icon;
}

/** Returns the hash of a definition for the lock. */
export function hashOf(definition: unknown): string {
  const text = JSON.stringify(canonical(definition));
  return `sha256-${createHash('sha256').update(text).digest('base64url')}`;
}

function readSchema(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    // A schema that cannot be converted counts as unchanged.
    return null;
  }
}

/** Copies JSON-like data with sorted object keys. Lists keep their order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(sorted.map(([key, item]) => [key, canonical(item)]));
}
