import { readFileSync, statSync } from 'node:fs';
import { isSecretName, type NamedSecret, namedSecretsIn } from '../../guard/secrets/secret-names.ts';

/** The sources of values for `${NAME}` and `${file:path}`. */
export interface VariableLookup {
  readonly variables: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables of the file without a value, with the unset variables they need. */
  readonly unusable?: ReadonlyMap<string, readonly string[]>;
  /** Variables of the file that are secrets under any name. */
  readonly secret?: ReadonlySet<string>;
  /** Variables of the file whose secrets were not resolved because the board is opened to look. */
  readonly unresolved?: ReadonlySet<string>;
  /** Reasons why secrets cannot be read, by variable. */
  readonly failures?: ReadonlyMap<string, string>;
  /** Reads a file named by `${file:…}`. The reader resolves relative paths. */
  readFile(path: string): string;
}

/** A text with its variables filled in, and facts about them. */
interface Interpolated {
  readonly text: string;
  /** Variables without a value and without a default. */
  readonly missing: readonly string[];
  /** Variables without a default that must come from the environment, set or not. */
  readonly needed: readonly string[];
  /** Values that must never be shown, with the names they were requested by. */
  readonly secrets: readonly NamedSecret[];
}

/** Matches a variable, or `$${`, which stands for the text `${`. */
const VARIABLE = /\$\$\{|\$\{(file:[^${}]+?|[A-Za-z_][A-Za-z0-9_]*)(?::-([^${}]*))?\}/g;
const MAX_SECRET_FILE = 1_000_000;

interface NamedVariable {
  /** Its name, or `file:` and a path. */
  readonly name: string;
  readonly hasDefault: boolean;
}

export function variablesIn(text: string): NamedVariable[] {
  return [...text.matchAll(VARIABLE)].flatMap(([, name, fallback]) =>
    name === undefined ? [] : [{ name, hasDefault: fallback !== undefined }],
  );
}

/** Fills in the variables of a text once: values that look like variables stay unchanged. `$${` becomes `${`. */
export function interpolate(text: string, lookup: VariableLookup): Interpolated {
  const missing: string[] = [];
  const needed: string[] = [];
  const secrets: NamedSecret[] = [];
  if (!text.includes('${')) return { text, missing, needed, secrets };
  const filled = text.replaceAll(VARIABLE, (whole, name?: string, fallback?: string) => {
    if (name === undefined) return '${';
    const isOwn =
      name.startsWith('file:') || Object.hasOwn(lookup.variables, name) || lookup.unusable?.has(name) === true;
    if (!isOwn && fallback === undefined) needed.push(name);
    const value = name.startsWith('file:') ? readSecret(name.slice(5), lookup) : lookUp(name, lookup);
    if (value === undefined || value === '') {
      if (fallback !== undefined) return fallback;
      if (value === undefined) missing.push(...(lookup.unusable?.get(name) ?? [name]));
      return value ?? whole;
    }
    if (lookup.unresolved?.has(name) === true) return value;
    const isSecret = name.startsWith('file:') || lookup.secret?.has(name) === true;
    secrets.push(...namedSecretsIn(name, value, isSecret || isSecretName(name)));
    return value;
  });
  return { text: filled, missing, needed, secrets };
}

function lookUp(name: string, { variables, env, unusable }: VariableLookup): string | undefined {
  if (unusable?.has(name) === true) return undefined;
  if (Object.hasOwn(variables, name)) return variables[name];
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

function readSecret(path: string, lookup: VariableLookup): string | undefined {
  try {
    // The final line end from an editor is not part of a secret.
    return lookup.readFile(path.trim()).replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}

/** Reads `${file:…}` from the file system: a regular file of a sensible size. */
export function readSecretFile(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile() || stats.size > MAX_SECRET_FILE) throw new Error('not a file of at most 1 MB');
  return readFileSync(path, 'utf8');
}

const SHELL_VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Expands `~`, `$NAME` and `${NAME}` like a shell. Leaves unset variables unchanged. */
export function expandHome(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const home = env['HOME'];
  const at = home !== undefined && (text === '~' || text.startsWith('~/')) ? `${home}${text.slice(1)}` : text;
  return at.replaceAll(SHELL_VARIABLE, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return Object.hasOwn(env, name) ? (env[name] ?? whole) : whole;
  });
}

/** Lists the variables that `expandHome` would expand in a text. */
export function shellVariablesIn(text: string): string[] {
  return [...text.matchAll(SHELL_VARIABLE)].map(([, braced, bare]) => braced ?? bare ?? '');
}
