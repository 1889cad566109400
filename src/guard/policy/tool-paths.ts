/** A path that a call will use and that is made from its arguments. */
export interface MadePath {
  /** The argument to name when the path is refused. */
  readonly argument: string;
  readonly path: string;
  /** The folder that a relative path starts from. */
  readonly folder: string;
  /** The place of the value in the arguments, and the value; otherwise found by the argument's name. */
  readonly given?: { readonly path: readonly (string | number)[]; readonly value: unknown } | undefined;
  /** Why it is refused wherever it leads. */
  readonly refusal?: string | undefined;
  /** True when it is a path only if a file of that name exists. */
  readonly onlyIfThere?: boolean | undefined;
}

/** A kind's knowledge about the paths in a tool's arguments. */
export interface ToolPaths {
  /** The arguments that are paths: dotted for nested ones, `*` for any key. */
  readonly names: readonly string[];
  /** The working folders of the processes that will open the paths of a call. Empty where they are not known. */
  folders(args: Readonly<Record<string, unknown>>): readonly string[];
  /** Paths that the call makes from its arguments: working folders, and templates with a path in them. */
  made?(args: Readonly<Record<string, unknown>>): readonly MadePath[];
  /** Arguments whose files a call only reads even where it writes others: the first step of their names. Default: none. */
  readonly reads?: readonly string[] | undefined;
  /** Why no path can be checked here: the process that opens it sees other files. */
  readonly obstacle?: string | undefined;
}

/** For tools without any path. */
export const NO_PATHS: ToolPaths = { names: [], folders: () => [] };
