import type { HiddenSecret } from './hide-secrets.ts';
import type { WrittenServer } from './server-entry.ts';

/** A server found for a command line: its name, entry and notes for the person. */
export interface FoundServer {
  readonly name: string;
  readonly entry: WrittenServer;
  readonly notes: readonly string[];
  /** The secrets behind the entry's variables. */
  readonly secrets?: readonly HiddenSecret[];
  /** Installs the files that the entry starts; called before the entry is written. */
  readonly install?: () => void;
}
