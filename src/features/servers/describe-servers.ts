import { promptKey } from '../../mcp/client/offers/offered-items.ts';
import { settingsKey } from '../../mcp/client/server-settings.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { restrictingSources } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';

/** Characters of what a server says of itself that searches read. */
const LONGEST_ABOUT = 1_000;

/** Returns the titles, instructions and prompts of servers, as far as the lock lets them pass. */
export function aboutServers(servers: readonly SharedServer[]): Map<string, string> {
  const said = servers.map(({ settings, manifest, instructions, denied }) => {
    const prompts = (manifest?.prompts ?? []).filter(({ name }) => !denied.has(promptKey(name)));
    const words = prompts.flatMap(({ name, title, description }) => [title ?? name, description]);
    const texts = [manifest?.title, instructions, ...words].filter((text) => text !== undefined);
    return [settings.name, texts.map((text) => text.slice(0, LONGEST_ABOUT)).join('\n')] as const;
  });
  return new Map(said.filter(([, text]) => text !== ''));
}

/** Describes the servers that a tool reaches. Secrets are left out: one that was renewed does not make another tool. */
export function describeServers(
  tool: Tool,
  servers: readonly SharedServer[],
  redact: (value: unknown) => unknown,
): string[] {
  const sources = restrictingSources(tool);
  return servers
    .filter(({ settings }) => sources.includes(settings.name))
    .map(({ settings }) => settingsKey(settings, (text) => String(redact(text))));
}
