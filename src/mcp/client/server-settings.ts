import { createHash } from 'node:crypto';
import type { OAuthSettings } from '../../platform/oauth/oauth-settings.ts';
import { quickHash } from '../../tool/texts/quick-hash.ts';

/** The command that starts a server on this machine. */
export interface StdioCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The address or command of a server. */
export type ServerAddress =
  | ({
      readonly type: 'stdio';
      /** The variables that its entry sets or names, as they are written there. */
      readonly named: readonly string[];
    } & StdioCommand)
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** None for a server whose headers hold an authorization. */
      readonly oauth: OAuthSettings | undefined;
    };

/** A server as the config has it, ready to be used. Times are milliseconds. */
export interface ServerSettings {
  /** Its name under `mcpServers`. */
  readonly name: string;
  readonly address: ServerAddress;
  /** For starting, agreeing on a version and listing tools. */
  readonly startTimeout: number;
  /** Without a call, before it is stopped; `Infinity` for never. */
  readonly idle: number;
  /** Bytes of one message. */
  readonly maxFrame: number;
  /** The era it speaks, where the config says so. */
  readonly era: 'legacy' | 'modern' | undefined;
  /** The callers who share one process of it, or one connection to it. */
  readonly share: 'board' | 'user' | 'session';
  /** The owner of the login. Default: the board, for all callers. */
  readonly auth?: 'board' | 'user' | undefined;
  /** Its processes, or connections to it, at once. */
  readonly maxInstances: number;
  /** True when it gets the folders that clients show. Default: those of local clients only. */
  readonly roots: boolean | undefined;
  /** True when its questions reach the people in front of clients. Default: true. */
  readonly elicitation?: boolean | undefined;
  /** True when it may use the models that clients lend. Default: true. */
  readonly sampling?: boolean | undefined;
}

/**
 * Names a server by what its config says, for files that are kept between runs. Variables that happen to be inherited do not
 * count: clients with other environments share what is kept.
 *
 * Values of variables and headers are left out, and so is what `redact` takes out of the rest: a hash of a short secret
 * can be guessed.
 */
export function settingsKey({ name, address }: ServerSettings, redact: (text: string) => string): string {
  const told =
    address.type === 'stdio'
      ? [address.file, ...address.args, address.cwd, ...address.named.toSorted()]
      : [address.url, ...Object.keys(address.headers).toSorted()];
  const text = JSON.stringify([name, address.type, ...told.map(redact)]);
  return quickHash(text);
}

/** Describes a server's address for messages: without arguments, queries and other parts that may be secret. */
export function describeAddress(address: ServerAddress): string {
  if (address.type === 'stdio') return address.file;
  const url = URL.parse(address.url);
  return url === null ? 'an address that cannot be read' : url.origin + url.pathname;
}

/** Returns true when a server's command or requests name the user: each user then has a process that no other can take. */
export function namesUser({ address, auth }: ServerSettings): boolean {
  return auth === 'user' || hasUser(JSON.stringify(address));
}

/** Returns true when tokens for the server are exchanged for those that users show to the board. */
export function exchangesTokens({ address, auth }: Pick<ServerSettings, 'address' | 'auth'>): boolean {
  const oauth = address.type === 'stdio' ? undefined : address.oauth;
  if (auth !== 'user' || oauth === undefined) return false;
  const { grant, identityProvider } = oauth;
  return grant === 'token_exchange' || (identityProvider !== undefined && identityProvider.idToken === undefined);
}

/** The settings for one user: `{{user}}` in arguments, variables, folder and headers stands for a name that is theirs alone. */
export function settingsFor(settings: ServerSettings, user: string): ServerSettings {
  if (!namesUser(settings)) return settings;
  const name = toUserName(user);
  const fill = (text: string): string => fillUser(text, name);
  const fillAll = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  const { address } = settings;
  if (address.type !== 'stdio') return { ...settings, address: { ...address, headers: fillAll(address.headers) } };
  const { args, cwd, env } = address;
  return { ...settings, address: { ...address, args: args.map(fill), cwd: fill(cwd), env: fillAll(env) } };
}

/** A name for files: no path can be made of it, and no two users have the same. The user of the board is `board`. */
function toUserName(user: string): string {
  if (user === '') return 'board';
  const shown = user.replace(/^(?:token|oauth):/, '').replaceAll(/[^A-Za-z0-9]+/g, '-');
  // So long that no user can look for a name of their own with which they would be another.
  const hash = createHash('sha256').update(user).digest('hex').slice(0, 20);
  return `${shown.slice(0, 40)}-${hash}`.replace(/^-+/, '');
}

/** As in other placeholders, blanks mean nothing. */
const USER = /\{\{ *user *\}\}/g;

/** Returns true when a text of a server's entry names the user. */
export function hasUser(text: string): boolean {
  return text.search(USER) !== -1;
}

/** The text with a name in the place of `{{user}}`. */
function fillUser(text: string, name: string): string {
  return text.replaceAll(USER, name);
}
