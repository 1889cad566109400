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
      /** The variables that its entry sets or names, as written there. */
      readonly named: readonly string[];
    } & StdioCommand)
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** `undefined` if the headers contain an authorization. */
      readonly oauth: OAuthSettings | undefined;
    };

/** A server of the config. Times are in milliseconds. */
export interface ServerSettings {
  readonly name: string;
  readonly address: ServerAddress;
  /** For starting, agreeing on a version and listing tools. */
  readonly startTimeout: number;
  /** Without a call, before the server is stopped; `Infinity` for never. */
  readonly idle: number;
  readonly maxFrame: number;
  /** The protocol style of the server, if the config sets it. */
  readonly era: 'legacy' | 'modern' | undefined;
  /** The callers that share one process or connection. */
  readonly share: 'board' | 'user' | 'session';
  /** The owner of the login. Default: the board. */
  readonly auth?: 'board' | 'user' | undefined;
  /** Processes or connections at once. */
  readonly maxInstances: number;
  /** True when it gets the folders of clients. Default: those of local clients only. */
  readonly roots: boolean | undefined;
  /** True when its questions reach people at clients. Default: true. */
  readonly elicitation?: boolean | undefined;
  /** True when it may use the models of clients. Default: true. */
  readonly sampling?: boolean | undefined;
}

/**
 * Returns a key for stored files of a server, from its config. Inherited variables do not count: clients with other environments share
 * the files.
 *
 * Omits values of variables and headers, and everything that `redact` removes: a hash of a short secret can be guessed.
 */
export function settingsKey({ name, address }: ServerSettings, redact: (text: string) => string): string {
  const parts =
    address.type === 'stdio'
      ? [address.file, ...address.args, address.cwd, ...address.named.toSorted()]
      : [address.url, ...Object.keys(address.headers).toSorted()];
  const text = JSON.stringify([name, address.type, ...parts.map(redact)]);
  return quickHash(text);
}

/** Describes a server's address for messages, without parts that may be secret, such as arguments and queries. */
export function describeAddress(address: ServerAddress): string {
  if (address.type === 'stdio') return address.file;
  const url = URL.parse(address.url);
  return url === null ? 'an address that cannot be read' : url.origin + url.pathname;
}

/** Returns true when a server's command or requests name the user: then no other user can take the process. */
export function namesUser({ address, auth }: ServerSettings): boolean {
  return auth === 'user' || hasUser(JSON.stringify(address));
}

/** Returns true when tokens for the server are exchanged for those of the board's users. */
export function exchangesTokens({ address, auth }: Pick<ServerSettings, 'address' | 'auth'>): boolean {
  const oauth = address.type === 'stdio' ? undefined : address.oauth;
  if (auth !== 'user' || oauth === undefined) return false;
  const { grant, identityProvider } = oauth;
  return grant === 'token_exchange' || (identityProvider !== undefined && identityProvider.idToken === undefined);
}

/** Returns the settings for one user: replaces `{{user}}` in arguments, variables, folder and headers by a unique name. */
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

/** Returns a unique name of a user for files; it cannot form a path. The board's own user is `board`. */
function toUserName(user: string): string {
  if (user === '') return 'board';
  const shown = user.replace(/^(?:token|oauth):/, '').replaceAll(/[^A-Za-z0-9]+/g, '-');
  // Long enough to prevent crafted collisions.
  const hash = createHash('sha256').update(user).digest('hex').slice(0, 20);
  return `${shown.slice(0, 40)}-${hash}`.replace(/^-+/, '');
}

/** Spaces are allowed, as in other placeholders. */
const USER = /\{\{ *user *\}\}/g;

/** Returns true when a text contains `{{user}}`. */
export function hasUser(text: string): boolean {
  return text.search(USER) !== -1;
}

function fillUser(text: string, name: string): string {
  return text.replaceAll(USER, name);
}
