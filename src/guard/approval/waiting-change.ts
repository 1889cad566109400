/** A change of a board's files that is not in use until a person accepts it. */
export interface WaitingChange {
  /** Names this state of the files: after a further edit it has another id. */
  readonly id: string;
  /** The changed parts, each with its file and line and without secrets: `policy.default (pegboard.yaml:3) changed from "deny" to "allow"`. */
  readonly changes: readonly string[];
  /** `refused` after a person said no; it stays refused until the files change again. */
  readonly status: 'waiting' | 'refused';
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The person who refused it. */
  readonly by?: string | undefined;
}

/** The answer of a person to a waiting change. */
export interface ChangeReply {
  readonly allow: boolean;
  /** The person who answers. */
  readonly by: string;
}

/** Changes of the board's files that wait for a person, in whichever process the board runs (`watch: 'careful'`). */
export interface BoardChanges {
  /** Lists the change that waits or was refused, if any. */
  list(): Promise<readonly WaitingChange[]>;
  /** Accepts or refuses a change. The process of the board follows at once. Throws `not_found` when the files have changed since. */
  answer(id: string, reply: ChangeReply): Promise<WaitingChange>;
  /** Calls back when a change is added, answered or gone. Returns a function that stops it. */
  watch(listener: () => void): () => void;
}

const PREFIX = 'change-';

/** Returns the id of a change: the beginning of the digest of its files. */
export function changeId(digest: string): string {
  return PREFIX + digest.slice(0, 16);
}

/** Returns true for the id of a change, and for its beginning. */
export function isChangeId(id: string): boolean {
  return id.startsWith(PREFIX);
}
