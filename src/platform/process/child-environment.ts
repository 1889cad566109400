/** What a child always sees, where the board has it. */
const DEFAULT_ENVIRONMENT: readonly string[] = ['PATH', 'HOME', 'LANG'];

/** What a child's environment is made from. */
export interface ChildEnvironmentOptions {
  /** Further names to pass on; `*` and `?` stand for any characters and any one: `LC_*`. */
  readonly allowed?: readonly string[];
  /** Variables with values of their own; they win over what is passed on. */
  readonly set?: Readonly<Record<string, string>>;
  /** Where passed-on values come from, such as `process.env`. */
  readonly from: Readonly<Record<string, string | undefined>>;
}

/** The whole environment of a child: PATH, HOME, LANG, the allowed names and the set ones, and nothing else. */
export function childEnvironment({ allowed = [], set = {}, from }: ChildEnvironmentOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  const take = (name: string): void => {
    const value = from[name];
    if (value !== undefined) environment[name] = value;
  };
  DEFAULT_ENVIRONMENT.forEach(take);
  for (const name of allowed) {
    if (isGlob(name)) {
      const pattern = toPattern(name);
      Object.keys(from)
        .filter((candidate) => pattern.test(candidate))
        .forEach(take);
    } else {
      take(name);
    }
  }
  return Object.assign(environment, set);
}

function isGlob(name: string): boolean {
  return name.includes('*') || name.includes('?');
}

function toPattern(glob: string): RegExp {
  // Runs of stars become one, and names are short: the pattern cannot be made to hang.
  const source = glob
    .replaceAll(/\*+/g, '*')
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
