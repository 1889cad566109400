import { readFileSync } from 'node:fs';

/** Where `${NAME}` and `${file:path}` get their values. */
export interface VariableSources {
  readonly variables: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a file named by `${file:…}`; relative paths are resolved by the caller's reader. */
  readFile(path: string): string;
}

/** A text with its variables put in, and what was learned on the way. */
export interface Interpolated {
  readonly text: string;
  /** Variables that are set nowhere and have no default. */
  readonly missing: readonly string[];
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
}

const VARIABLE = /\$\{(file:[^}]+|[A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const SECRET_NAME = /key|token|secret|passw|pwd|credential|auth|private|dsn/i;
const MIN_SECRET = 4;

/** Puts variables into a text, once: a value that looks like a variable stays as it is. */
export function interpolate(text: string, sources: VariableSources): Interpolated {
  const missing: string[] = [];
  const secrets: string[] = [];
  if (!text.includes('${')) return { text, missing, secrets };
  const filled = text.replaceAll(VARIABLE, (whole, name: string, fallback: string | undefined) => {
    const value = name.startsWith('file:') ? readSecret(name.slice(5), sources) : lookUp(name, sources);
    if (value === undefined || value === '') {
      if (fallback !== undefined) return fallback;
      if (value === undefined) missing.push(name);
      return value ?? whole;
    }
    if ((name.startsWith('file:') || SECRET_NAME.test(name)) && value.length >= MIN_SECRET) secrets.push(value);
    return value;
  });
  return { text: filled, missing, secrets };
}

function lookUp(name: string, { variables, env }: VariableSources): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : env[name];
}

function readSecret(path: string, sources: VariableSources): string | undefined {
  try {
    // An editor's last line end is not part of a secret.
    return sources.readFile(path.trim()).replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}

/** Reads `${file:…}` from the file system. */
export const readSecretFile = (path: string): string => readFileSync(path, 'utf8');

/** Tells whether a variable's name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
