/** A part of a config file that is off, since variables that it needs are not set. The rest of the board works without it. */
export interface OffPart {
  readonly type: 'tool' | 'server' | 'agent' | 'collection' | 'store' | 'knowledge';
  /** Its name, as messages have it. */
  readonly name: string;
  readonly path: readonly (string | number)[];
  /** The variables that are not set, and secret files that cannot be read. */
  readonly variables: readonly string[];
  /** For a server: what stands before the names of its tools. */
  readonly prefix?: string | undefined;
}
