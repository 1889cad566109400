import { hashOf, toPin } from '../../guard/lock/tool-pin.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import { type ServerSettings, settingsKey } from '../../mcp/client/server-settings.ts';
import { restrictingSources } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';

/** The places of tool definitions. */
export interface DefinitionPlaces {
  readonly entryOf: (name: string) => ToolEntry | undefined;
  readonly servers: () => readonly { readonly settings: ServerSettings }[];
  readonly redact: (value: unknown) => unknown;
}

/** The hash of what a tool is made of, as a line of a policy has it. */
export function hashDefinition(tool: Tool, places: DefinitionPlaces): string {
  return hashOf(describeDefinition(tool, places));
}

/**
 * Describes a tool as plain data: its definition for callers, its entry, and the address of its server.
 *
 * Secrets are left out: one that was renewed does not make another tool.
 */
export function describeDefinition(tool: Tool, { entryOf, servers, redact }: DefinitionPlaces): unknown {
  const entry = entryOf(tool.metadata.name);
  const sources = restrictingSources(tool);
  const reached = servers().filter(({ settings }) => sources.includes(settings.name));
  return {
    pin: toPin(tool, '', redact).hash,
    kind: entry?.kind.type,
    written: redact(entry?.readFrom),
    servers: reached.map(({ settings }) => settingsKey(settings, (text) => String(redact(text)))),
  };
}
