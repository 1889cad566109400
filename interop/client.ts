import type { Feature, Way } from './features.ts';

/** A board that is served: a command to start, and an address. */
export interface Target {
  /** The folder of the board file, in which tools leave files. */
  readonly folder: string;
  readonly file: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A person's answer to a question of the board or of a server. */
export interface PersonAnswer {
  readonly action: 'accept' | 'decline';
  readonly content?: Record<string, string | number | boolean | string[]>;
}

/** The person who uses a client: gets each question, and answers it. */
export type Person = (question: { readonly message?: unknown; readonly requestedSchema?: unknown }) => PersonAnswer;

/** Options of a call beside its arguments. */
export interface CallExtras {
  readonly signal?: AbortSignal;
  readonly onProgress?: (report: unknown) => void;
}

type Arguments = Record<string, unknown>;

/** An open client, in words that all clients share. Results are what the client itself gives its users. */
export interface Connection {
  /** The revision of the protocol that was agreed on, where the client tells. */
  protocol(): string | undefined;
  tools(): Promise<readonly string[]>;
  call(name: string, args: Arguments, extras?: CallExtras): Promise<unknown>;
  readonly resources?: () => Promise<readonly string[]>;
  readonly templates?: () => Promise<readonly string[]>;
  readonly read?: (uri: string) => Promise<unknown>;
  readonly prompts?: () => Promise<readonly string[]>;
  readonly prompt?: (name: string, args: Record<string, string>) => Promise<unknown>;
  /** Calls a tool as a task. Gives the result, and rejects when no task was made. */
  readonly task?: (name: string, args: Arguments) => Promise<unknown>;
  close(): Promise<void>;
}

/** A client that other people wrote. */
export interface InteropClient {
  readonly name: string;
  /** The npm package, whose version is told. */
  readonly package: string;
  readonly ways: readonly Way[];
  /** Features that the client does not offer to its users, with the reason. */
  readonly lacks: Readonly<Partial<Record<Feature, string>>>;
  /** Why a feature fails, where the client is the cause. */
  readonly faults?: Readonly<Partial<Record<Feature, string>>>;
  open(target: Target, way: Way, person: Person): Promise<Connection>;
}
