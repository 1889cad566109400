import { existsSync } from 'node:fs';
import { isSecretName } from '../../../guard/secrets/secret-names.ts';
import { tidyServer, type WrittenServer } from './server-entry.ts';

export interface HiddenSecret {
  /** The variable that replaces it. */
  readonly variable: string;
  readonly value: string;
}

/** An entry whose secrets are replaced by variables. */
export interface HiddenServer {
  readonly entry: WrittenServer;
  readonly secrets: readonly HiddenSecret[];
}

/** A server found for a command line: its name, entry and notes for the person. */
export interface FoundServer {
  readonly name: string;
  readonly entry: WrittenServer;
  readonly notes: readonly string[];
  /** The secrets behind the entry's variables. */
  readonly secrets?: readonly HiddenSecret[];
  /** Installs the files that the entry starts; called before the entry is written. */
  readonly install?: () => void;
}

/** Values that are not secrets, even if the name looks like one: MAX_TOKENS, AUTH_ENABLED. */
const HARMLESS = /^(?:true|false|yes|no|on|off|none|null|-?[\d.]+|)$/i;
/** Prefixes of the keys of well-known services. */
const KNOWN_TOKEN =
  /^(?:sk-|pk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ntn_|lin_api_|npm_|hf_|eyJ[\w-]+\.)[\w./+=-]{8,}/;
/** A secret within a longer text, such as JSON. */
const WITHIN = /(?:bearer|basic|token|secret|password|api[_-]?key)["']?\s*[:= ]\s*["']?(?:bearer\s+)?[\w./+=-]{12,}/i;
const URL_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i;
const SCHEME = /^((?:bearer|basic|token)\s+)(\S.*)$/i;

/**
 * Replaces each secret in a server's entry with a variable: values of variables, headers, arguments and parts of the address that are
 * recognized by name or content. Existing variables stay.
 *
 * `taken` has the secrets of other entries, so that one variable never stands for two values.
 */
export function hideSecrets(server: string, entry: WrittenServer, taken: Map<string, string>): HiddenServer {
  const secrets: HiddenSecret[] = [];
  const prefix = toVariable(server);
  /** Replaces the secret part of a text with a variable. */
  const hide = (wanted: string, value: string): string => {
    const [, scheme = '', secret = value] = SCHEME.exec(value) ?? [];
    const variable = [wanted, `${prefix}_${wanted}`, ...numbered(`${prefix}_${wanted}`)].find(
      (name) => taken.get(name) === undefined || taken.get(name) === secret,
    );
    if (variable === undefined) return value;
    taken.set(variable, secret);
    if (!secrets.some((known) => known.variable === variable)) secrets.push({ variable, value: secret });
    return `${scheme}\${${variable}}`;
  };
  const hideAll = (values: WrittenServer['env'], toName: (name: string) => string): WrittenServer['env'] =>
    values &&
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, isSecret(name, value) ? hide(toName(name), value) : value]),
    );
  const hideArgument = (arg: string, before: string | undefined): string => {
    // `--api-key=…`, `-e KEY=…`, `Authorization: Bearer …`
    const [, label = '', between = '', value = ''] = /^(-{0,2}[\w-]+)(=|:\s*)(\S.*)$/s.exec(arg) ?? [];
    if (label !== '' && !/^\w+:\/\//.test(arg) && isSecret(label, value)) {
      const name = between === '=' && !label.startsWith('-') ? label : `${prefix}_${toVariable(label)}`;
      return `${label}${between}${hide(name, value)}`;
    }
    const flag = before !== undefined && /^--?[\w-]+$/.test(before) && !arg.startsWith('-') ? before : '';
    const wanted = `${prefix}_${flag === '' ? (URL_PASSWORD.test(arg) ? 'URL' : 'TOKEN') : toVariable(flag)}`;
    return isSecret(flag, arg) ? hide(wanted, arg) : arg;
  };
  const { env, headers, args, url, ...rest } = entry;
  return {
    entry: tidyServer({
      ...rest,
      args: args?.map((arg, index) => hideArgument(arg, args[index - 1])),
      env: hideAll(env, toVariable),
      url: url && hideInUrl(url, (label, value) => hide(`${prefix}_${toVariable(label)}`, value)),
      headers: hideAll(headers, (name) => `${prefix}_${/^authorization$/i.test(name) ? 'TOKEN' : toVariable(name)}`),
    }),
    secrets,
  };
}

function isSecret(name: string, value: string): boolean {
  // A doubled dollar is literal text.
  if (/(?<!\$)\$\{/.test(value) || HARMLESS.test(value.trim())) return false;
  if (KNOWN_TOKEN.test(value) || WITHIN.test(value) || URL_PASSWORD.test(value)) return true;
  // The path of a key is not a key.
  return isSecretName(name) && !(/[\\/]/.test(value) && existsSync(value));
}

function hideInUrl(text: string, hide: (label: string, value: string) => string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  let hidden = text;
  for (const [label, value] of [...url.searchParams, ['password', url.password] as const]) {
    if (value === '' || !isSecret(label, value)) continue;
    // Matches the text as it is written, encoded or not.
    const written = [encodeURIComponent(value), value].find((form) => hidden.includes(form));
    if (written !== undefined) hidden = hidden.replace(written, () => hide(label, written));
  }
  return hidden;
}

/** Converts a text to a variable name: `x-api-key` becomes `X_API_KEY`. */
export function toVariable(text: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(name) ? name : `VALUE_${name}`;
}

function numbered(name: string): string[] {
  return Array.from({ length: 20 }, (_, index) => `${name}_${index + 2}`);
}
