import type { ToolContext } from './tool-context.ts';

/** Where whoever makes calls for others puts who they are, in the metadata of a call's context. */
export const OWNER_KEY = 'caller';

/** On whose behalf a call is made, where callers are told apart: what it leaves behind is for them alone. */
export function ownerOf(context: ToolContext): string | undefined {
  const owner = context.getMeta(OWNER_KEY);
  return typeof owner === 'string' && owner !== '' ? owner : undefined;
}
