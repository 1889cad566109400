import { createHash } from 'node:crypto';
import { serverFactsOf } from '../../tool/server-words.ts';
import type { ToolIcon } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';

/** The definition of a tool for models, clients, people and policies: a change of any of it is a change of the tool. */
export interface PinnedDefinition {
  readonly title?: string;
  readonly description: string;
  readonly risk?: string;
  /** Arguments with a greater risk. */
  readonly argumentRisks?: unknown;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  /** Hints; in every pin but those from before they were pinned, which say nothing of hints, execution, icons and `_meta`. */
  readonly annotations?: unknown;
  readonly execution?: unknown;
  /** A long picture by its hash. */
  readonly icons?: unknown;
  readonly _meta?: unknown;
}

/** A tool as `pegboard.lock` has it. */
export interface ToolPin {
  /** The tool's origin, such as `mcp files/read_file` or `cli pegboard.yaml`. */
  readonly origin: string;
  /** Of the definition, without its name. */
  readonly hash: string;
  readonly definition: PinnedDefinition;
}

/** Pins a tool: its definition without secrets, in a form that stays the same while the tool does. */
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

/** Returns true for a pin from before hints, `_meta`, icons and the like were pinned. */
export function isOldPin({ definition }: Pick<ToolPin, 'definition'>): boolean {
  return definition.annotations === undefined;
}

/** A pin as an old lock would have it, without what those did not pin. */
export function toOldPin({ origin, definition }: ToolPin): ToolPin {
  const { annotations: _hints, execution: _run, icons: _pictures, _meta, ...words } = definition;
  return { origin, hash: hashOf(words), definition: words };
}

/** The words of a prompt, a resource or a template as a lock has them: what it says, not how large it is now. */
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
      // Icons have an address each: that was checked when they were listed.
      ...(pictures.length === 0 ? {} : { icons: pictures.map((icon) => shortenIcon(icon as ToolIcon)) }),
    }),
  );
}

const MAX_ADDRESS = 300;

/** A picture within an address would fill the lock; its hash tells a change as well. */
function shortenIcon(icon: ToolIcon): ToolIcon {
  return icon.src.length > MAX_ADDRESS ? { ...icon, src: hashOf(icon.src) } : icon;
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
