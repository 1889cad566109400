import type { ToolContext } from './tool-context.ts';

/** The key of a context's metadata under which a server that makes calls for its clients puts the client. */
export const OWNER_KEY = 'caller';

/** Where the rights of that caller stand, as a key that changes with them. */
export const RIGHTS_KEY = 'pegboard.rights';

/** Whose the outputs of a call are: one caller's, for as long as its rights stay. `undefined` where all are one. */
export function outputOwnerOf(context: ToolContext): string | undefined {
  const owner = ownerOf(context);
  const rights = context.getMeta(RIGHTS_KEY);
  return owner === undefined ? undefined : toOutputOwner(owner, typeof rights === 'string' ? rights : '');
}

/** The same from its parts. */
export function toOutputOwner(owner: string, rights: string): string {
  return rights === '' ? owner : JSON.stringify([owner, rights]);
}

/** On whose behalf a call is made, where callers are told apart: what it leaves behind is for them alone. */
export function ownerOf(context: ToolContext): string | undefined {
  const owner = context.getMeta(OWNER_KEY);
  return typeof owner === 'string' && owner !== '' ? owner : undefined;
}
