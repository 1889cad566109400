import { spawnSync } from 'node:child_process';
import { isAbsolute, resolve } from 'node:path';
import { parseDuration } from '../../kinds/parse-units.ts';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { readSecretFile } from './interpolate.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A secret, or the reason why it cannot be read, which never contains any of it. */
export type ReadSecret =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly reason: string };

interface SecretOptions {
  readonly env: Env;
  /** The folder that relative paths start from and commands run in. */
  readonly folder: string;
  readonly platform?: NodeJS.Platform;
  readonly now?: () => number;
}

/** Milliseconds to wait for a command, which the board waits for. */
const PATIENCE = 10_000;
const MAX_BYTES = 1_000_000;
/** Milliseconds for which a command's output is reused when the files are read again. */
const CACHE = 300_000;

/** Outputs of commands by environment, so that a reload does not ask the keychain again. */
const given = new WeakMap<Env, Map<string, { readonly value: string; readonly at: number }>>();

/** Returns the `secret` of a variable; `undefined` for a text. */
export function secretSourceOf(variable: unknown): Readonly<Record<string, unknown>> | undefined {
  const source = isPlainObject(variable) ? variable['secret'] : undefined;
  return isPlainObject(source) ? source : undefined;
}

/** Reads a secret from its source: a file, an environment variable, the keychain or a command. */
export function readSecret(source: Readonly<Record<string, unknown>>, options: SecretOptions): ReadSecret {
  const { env, folder } = options;
  const { file, env: variable, command, keychain, cache } = source;
  if (typeof file === 'string') return readFrom(isAbsolute(file) ? file : resolve(folder, file), file);
  if (typeof variable === 'string') {
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    if (value !== undefined && value !== '') return { ok: true, value };
    return fail(`the variable ${variable} is not set in the environment. Set it`);
  }
  const asked = Array.isArray(command) ? ask(command.map(String), options) : askKeychain(keychain, options);
  if (asked === undefined) return fail('its source must be one of file, env, keychain and command');
  const key = JSON.stringify([asked.words, folder]);
  const { now = Date.now } = options;
  const lifetime = typeof cache === 'string' || typeof cache === 'number' ? parseDuration(cache) : CACHE;
  const known = given.get(env) ?? new Map<string, { readonly value: string; readonly at: number }>();
  given.set(env, known);
  const earlier = known.get(key);
  if (earlier !== undefined && now() - earlier.at < lifetime) return { ok: true, value: earlier.value };
  const read = asked.run();
  if (read.ok) known.set(key, { value: read.value, at: now() });
  return read;
}

interface Asked {
  readonly words: readonly string[];
  run(): ReadSecret;
}

/** Describes a command whose output is the secret. Its stderr is not shown, because it may contain parts of it. */
function ask([program = '', ...args]: readonly string[], { env, folder }: SecretOptions, missing?: Advice): Asked {
  const run = (): ReadSecret => {
    const { error, status, signal, stdout } = spawnSync(program, args, {
      cwd: folder,
      env: { ...env },
      encoding: 'utf8',
      timeout: PATIENCE,
      maxBuffer: MAX_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    // Every start error has a code.
    const code = error === undefined ? undefined : String((error as NodeJS.ErrnoException).code);
    if (code === 'ENOENT')
      return fail(missing?.program ?? `there is no program "${program}". Install it, or correct the command`);
    if (code === 'ETIMEDOUT')
      return fail(
        `"${program}" took longer than ${PATIENCE / 1000} s. Run it at a terminal: it may wait for an answer`,
      );
    if (code === 'ENOBUFS')
      return fail(`"${program}" printed more than ${MAX_BYTES} bytes. It must print the secret alone`);
    if (code !== undefined) return fail(`"${program}" cannot be started (${code})`);
    const value = stdout.replace(/\r?\n$/, '');
    if (status === 0 && value !== '') return { ok: true, value };
    if (missing !== undefined) return fail(missing.secret);
    const how = status === 0 ? 'printed nothing' : `ended with ${status ?? signal}`;
    return fail(`"${program}" ${how}. Run the command at a terminal to see why`);
  };
  return { words: [program, ...args], run };
}

interface Advice {
  /** For a machine without the program that asks the keychain. */
  readonly program: string;
  /** For a keychain without the secret. */
  readonly secret: string;
}

/** Asks the user's keychain: that of macOS, or of libsecret. */
function askKeychain(wanted: unknown, options: SecretOptions): Asked | undefined {
  if (!isPlainObject(wanted)) return undefined;
  const [service, account] = [String(wanted['service']), String(wanted['account'])];
  const isMac = (options.platform ?? process.platform) === 'darwin';
  const names = `service "${service}", account "${account}"`;
  if (isMac)
    return ask(['security', 'find-generic-password', '-s', service, '-a', account, '-w'], options, {
      program: 'there is no program "security", which asks the keychain',
      secret: `the keychain has none for ${names}. Add it: security add-generic-password -s ${service} -a ${account} -w`,
    });
  return ask(['secret-tool', 'lookup', 'service', service, 'account', account], options, {
    program:
      'there is no program "secret-tool", which asks the keychain. Install libsecret (libsecret-tools on Debian)',
    secret: `the keychain has none for ${names}, or is locked. Add it: secret-tool store --label ${service} service ${service} account ${account}`,
  });
}

function readFrom(path: string, shown: string): ReadSecret {
  try {
    const value = readSecretFile(path).replace(/\r?\n$/, '');
    return value === '' ? fail(`the file "${shown}" is empty`) : { ok: true, value };
  } catch (error) {
    return fail(`the file "${shown}" cannot be read (${messageOf(error).split(',')[0]}). Create it`);
  }
}

function fail(reason: string): ReadSecret {
  return { ok: false, reason };
}
