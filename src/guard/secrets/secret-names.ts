import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { findValues, markedArguments } from '../../tool/parameters/find-values.ts';

/** Matches `auth` and `authorization`, but not the `author` of a commit. */
const SECRET_NAME =
  /key|token|secret|pass|pwd|credential|auth(?!or(?!i))|private|dsn|jwt|cookie|session|bearer|webhook|_pat$/i;
/** Names that look secret but contain the name of a setting. */
const PLAIN_NAME = /^GIT_CONFIG_KEY_\d+$/;
const URL_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i;

/** A value that must never be shown, with the name of its variable or setting. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
  /** True for the password inside a URL: the name is that of the whole URL. */
  readonly isPart?: true | undefined;
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/** Returns the secret parts of a variable: the whole value if the name indicates a secret, or the password of a URL. */
export function secretsIn(name: string, value: string): string[] {
  return namedSecretsIn(name, value).map((secret) => secret.value);
}

/** Works like `secretsIn`, and adds the names. `isSecret` marks the whole value as secret. Default: decided by the name. */
export function namedSecretsIn(name: string, value: string, isSecret: boolean = isSecretName(name)): NamedSecret[] {
  if (value.trim() === '') return [];
  const password = URL_PASSWORD.exec(value)?.[1];
  if (password === undefined) return isSecret ? [{ name, value }] : [];
  // A program decodes the password before it uses or prints it.
  const parts = new Set([password, decode(password)]);
  return [{ name, value }, ...[...parts].map((part) => ({ name, value: part, isPart: true as const }))];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the arguments without the values of fields that must not be shown: `format: password` and `writeOnly`. */
export function hidePasswords(args: unknown, schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return args;
  const names = passwordNames.get(schema) ?? markedArguments(schema, isPassword);
  passwordNames.set(schema, names);
  if (names.includes('')) return HIDDEN;
  return names.flatMap((name) => findValues(args, name)).reduce((shown, { path }) => hideAt(shown, path), args);
}

const HIDDEN = '[hidden]';
const passwordNames = new WeakMap<JsonSchema, readonly string[]>();

function isPassword({ format, writeOnly }: JsonSchema): boolean {
  return format === 'password' || writeOnly === true;
}

function hideAt(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (step === undefined) return HIDDEN;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? hideAt(item, rest) : item));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === step ? hideAt(item, rest) : item]),
  );
}
