import type { HiddenSecret } from './hide-secrets.ts';
import type { WrittenServer } from './server-entry.ts';

/** A server that a command line means: what to call it, its entry, and what the person should know. */
export interface FoundServer {
  readonly name: string;
  readonly entry: WrittenServer;
  readonly notes: readonly string[];
  /** Secrets that variables of the entry stand for. */
  readonly secrets?: readonly HiddenSecret[];
  /** Puts in place what the entry starts; called before the entry is written. */
  readonly install?: () => void;
}
