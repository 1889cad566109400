import { quoteText } from '../../tool/texts/reveal-hidden.ts';
import { restrictingSources } from '../../tool/tool-names.ts';
import type { BoardParts } from '../../discovery/board-like.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';

/** Characters that one server's instructions may have, and those of all servers together. */
const MAX_ONE = 4_000;
const MAX_ALL = 16_000;

/**
 * The board's instructions, then what each server says about itself, as far as that is known. Each server is named and each of its
 * lines quoted, so that none can speak for the board. A caller hears of a server only when it reaches one of its tools.
 */
export function joinInstructions(
  own: string | undefined,
  servers: NonNullable<BoardParts['servers']>,
  registry: ToolRegistry,
): string | undefined {
  const speaking = servers.filter(({ instructions = '' }) => instructions !== '');
  const reached = speaking.length === 0 ? new Set<string>() : new Set(registry.getAll().flatMap(restrictingSources));
  const parts = own === undefined || own === '' ? [] : [own];
  let room = MAX_ALL;
  for (const { name, instructions = '' } of speaking) {
    if (!reached.has(name) || room <= 0) continue;
    const text = instructions.slice(0, Math.min(room, MAX_ONE)).toWellFormed();
    room -= text.length;
    const cut = text.length < instructions.length ? ['> …'] : [];
    const lines = text.split('\n').map((line) => `> ${line}`.trimEnd());
    parts.push([`The server ${quoteText(name)} says about its tools:`, ...lines, ...cut].join('\n'));
  }
  return parts.length === 0 ? undefined : parts.join('\n\n');
}
