/** A client that is connected to a server, as the board would use it. */
export interface Caller {
  /** Calls the tool `add` and gives the text of its answer; `who` is who answers the server's questions about this call. */
  call(args: Readonly<Record<string, unknown>>, options?: { readonly who?: string }): Promise<string>;
  close(): Promise<void>;
}

/** The transport and address of a server. */
export interface Target {
  readonly url: string;
  readonly era: 'legacy' | 'modern';
  /** Bytes of one message at most, for clients that have such a limit. */
  readonly maxFrame: number;
}

/** Milliseconds after which a call is given up. */
export const PATIENCE = 4000;

/** The token of an earlier login, for servers that want one. */
export const FIRST_TOKEN = 'token-0';
