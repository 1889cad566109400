import type { Tool } from '../../core/tool.ts';

/** Which tools somebody may see and call. */
export interface Access {
  /** The same for everybody with the same rights: lists are kept ready for each. */
  readonly key: string;
  allows(tool: Tool): boolean;
  /** What somebody without the right to a tool should be told. */
  readonly hint?: string;
}

/** Who sends requests. */
export interface Caller {
  /** Tells callers apart; sessions and tasks belong to one. Empty where nobody has to say who they are. */
  readonly id: string;
  readonly access: Access;
}

/** A caller with no name and every right: whoever started the board over stdio. */
export const ANYBODY: Caller = { id: '', access: { key: '', allows: () => true } };
