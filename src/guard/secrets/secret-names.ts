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
}

/** Tells whether a name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/** Returns the secret parts of a variable: all of it when its name says so, the password of an address. */
export function secretsIn(name: string, value: string): string[] {
  if (value.trim() === '') return [];
  if (isSecretName(name)) return [value];
  const password = URL_PASSWORD.exec(value)?.[1];
  return password === undefined ? [] : [value, password];
}
