import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from './manifest-cache.ts';
import type { OfferedTool } from './offered-tool.ts';

/** Differences between a server's offers. */
export interface OfferChanges {
  /** In a few words. */
  readonly text: string;
  /** The same for every process that sees this change. */
  readonly key: string;
}

/** The parts of a tool that can change, and what people call them. */
const PARTS: readonly (readonly [keyof OfferedTool, string])[] = [
  ['description', 'description'],
  ['inputSchema', 'arguments'],
  ['outputSchema', 'output schema'],
  ['annotations', 'hints'],
  ['title', 'title'],
  ['execution', 'execution'],
  ['icons', 'icons'],
  ['_meta', '_meta'],
];
const MAX_TOLD = 5;

/** Describes changes of tools that stayed, and of the server's instructions. Tools that came or went are no change of any other. */
export function describeChanges(before: Manifest, now: Manifest): OfferChanges | undefined {
  const known = new Map(before.tools.map((tool) => [tool.name, tool]));
  const changed = now.tools.flatMap((tool) => {
    const old = known.get(tool.name);
    const parts = old === undefined ? [] : PARTS.filter(([part]) => !isDeepStrictEqual(old[part], tool[part]));
    return parts.length === 0 ? [] : [{ tool, told: `${tool.name} (${parts.map(([, word]) => word).join(', ')})` }];
  });
  const isOtherSpeech = before.instructions !== now.instructions;
  const all = [...(isOtherSpeech ? ['its instructions'] : []), ...changed.map(({ told }) => told)];
  if (all.length === 0) return undefined;
  const more = all.length > MAX_TOLD ? `, and ${all.length - MAX_TOLD} more` : '';
  const key = JSON.stringify([now.instructions, changed.map(({ tool }) => tool)]);
  return { text: `${all.slice(0, MAX_TOLD).join(', ')}${more}`, key };
}
