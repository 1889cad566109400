/** `auth` and `authorization`, but not the `author` of a commit. */
const SECRET_NAME =
  /key|token|secret|pass|pwd|credential|auth(?!or(?!i))|private|dsn|jwt|cookie|session|bearer|webhook|_pat$/i;
/** Names that look so and hold the name of a setting. */
const PLAIN_NAME = /^GIT_CONFIG_KEY_\d+$/;
const URL_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i;

/** A value that must never be shown, and the variable or setting that has it. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
  /** True for the password inside of an address: the name is that of the whole. */
  readonly isPart?: true | undefined;
}

/** Tells whether a name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/** Returns the secret parts of a variable: all of it when its name says so, the password of an address. */
export function secretsIn(name: string, value: string): string[] {
  return namedSecretsIn(name, value).map((secret) => secret.value);
}

/** The same with their name. `isSecret` states that the whole value is one. Default: what the name says. */
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
