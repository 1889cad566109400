/** The folder and files that a tried server works on. */
export interface Place {
  /** A folder with a few files and a repository, the same for both ways to reach the server. */
  readonly folder: string;
  /** A folder that no other process of the server uses. */
  readonly own: string;
  /** The start of an address on this machine that answers in place of the services some servers ask. */
  readonly outside: string;
  /** The browser of this machine. */
  readonly browser: string;
}

/** A call to compare. */
export interface TrialCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The server refuses it. Every other call must succeed, by itself and through the board. */
  readonly fails?: true;
  /** Asks the client's user. */
  readonly asks?: true;
  /** Progress reports to compare. Not every client takes those that come together with the result. */
  readonly reports?: number;
  /** Runs as a task on the server. */
  readonly isTask?: true;
  /** Text that differs from run to run, and is not compared. */
  readonly varies?: RegExp;
}

/** A server that other people wrote, from npm. */
export interface TrialServer {
  /** The name of the server on the board. */
  readonly name: string;
  readonly package: string;
  /** The file of the package that is started. */
  readonly script: string;
  readonly args?: (place: Place) => readonly string[];
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
  readonly calls: (place: Place) => readonly TrialCall[];
  /** Arguments for its prompts. */
  readonly promptArguments?: Readonly<Record<string, string>>;
}
