import { resolve, sep } from 'node:path';
import { makePrefixes, type Namespace, namespacesOf } from '../../kinds/mcp/name-tools.ts';
import type { ServerRules, ToolOverride } from '../../kinds/mcp/server-rules.ts';
import type { OAuthSettings, TokenSource } from '../../platform/oauth/oauth-settings.ts';
import { hasUser, type ServerAddress, type ServerSettings } from '../../mcp/client/server-settings.ts';
import { DEFAULT_MAX_FRAME } from '../../mcp/client/transports/transport.ts';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { WrittenServers } from './server-sections.ts';
import type { Placed } from '../../load/features/section.ts';
import { expandHome } from '../../load/variables/interpolate.ts';
import type { LockMode } from '../../load/loaded-file.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';
import { parseDuration, parseSize } from '../../kinds/parse-units.ts';

/** A server of the config files. */
export interface ConfiguredServer {
  readonly settings: ServerSettings;
  readonly rules: ServerRules;
  readonly lock: LockMode | undefined;
  /** The file that has it. */
  readonly file: string;
  /** Makes a diagnostic about it, or about a value below it. Severity: warning, unless given. */
  readonly at: (message: string, severity?: Diagnostic['severity'], below?: readonly (string | number)[]) => Diagnostic;
  /** The name prefixes of the tools of servers that are off. */
  readonly reserved: readonly Namespace[];
}

interface ReadOptions {
  /** The folder in which servers run that name no other. */
  readonly workingFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type ServerConfig = WrittenServers[string];

const DEFAULT_START = 30_000;
const DEFAULT_IDLE = 300_000;
const DEFAULT_INSTANCES = 20;
/** Further variables of the board's environment that a server sees, as with official clients. */
const PASSED = 'LOGNAME SHELL TERM USER TMPDIR'.split(' ');

/** Reads the servers of the board's files. Disabled ones are skipped. */
export function readServers(
  written: Placed<WrittenServers> | undefined,
  options: ReadOptions,
): { readonly servers: readonly ConfiguredServer[]; readonly diagnostics: readonly Diagnostic[] } {
  if (written === undefined) return { servers: [], diagnostics: [] };
  const servers: ConfiguredServer[] = [];
  const diagnostics: Diagnostic[] = [];
  // Those that are off count too: another server must not get the names of their tools meanwhile.
  const prefixes = makePrefixes(Object.keys(written.value));
  const reserved: Namespace[] = [];
  for (const [name, config] of Object.entries(written.value)) {
    const at = placeAt(written, name);
    for (const other of written.others([name]))
      diagnostics.push(at(`the server "${name}" stands in ${other} too; this one is used.`));
    const rules = readRules(config, prefixes.get(name) ?? '');
    if (config.disabled === true || config.enabled === false) {
      reserved.push(...namespacesOf(rules).map((start) => ({ start, server: name })));
      continue;
    }
    const address = readAddress(config, written.folder([name]), options);
    if (typeof address === 'string') diagnostics.push(at(address, 'error'));
    else {
      const settings = readSettings(name, config, address);
      servers.push({ settings, rules, lock: config.lock, file: at('').file, at, reserved });
    }
  }
  return { servers, diagnostics: [...diagnostics, ...servers.flatMap((server) => warnOfPrefix(server, prefixes))] };
}

/** Makes diagnostics of one server; a value that is not written stands where the server does. */
function placeAt(written: Placed<WrittenServers>, name: string): ConfiguredServer['at'] {
  return (message, severity = 'warning', below = []) => {
    const own = written.at([name], message, severity);
    if (below.length === 0) return own;
    const { place = own.place } = written.at([name, ...below], message);
    return { ...own, path: [...own.path, ...below], place };
  };
}

/** Warns when the names of two servers are the same in the characters that tool names have. */
function warnOfPrefix(
  { settings: { name }, rules, at }: ConfiguredServer,
  prefixes: ReadonlyMap<string, string>,
): Diagnostic[] {
  const [alone] = makePrefixes([name]).values();
  if (rules.isPrefixWritten || rules.prefix === alone) return [];
  const other = [...prefixes.keys()].find((key) => key !== name && makePrefixes([key]).get(key) === alone);
  return [
    at(
      `the names of its tools would begin with "${alone}", as those of the server "${other}" do. They begin with "${rules.prefix}" here. Write a prefix to choose it.`,
    ),
  ];
}

/** The address, or what is wrong with it. */
function readAddress(
  config: ServerConfig,
  folder: string,
  { env, workingFolder }: ReadOptions,
): ServerAddress | string {
  const { command, url, type, args = [] } = config;
  if (command !== undefined && url !== undefined) return 'has both command and url. Keep one of them.';
  const [key] = Object.entries({ command, url }).find(([, text = '']) => hasUser(text)) ?? [];
  // Taken literally, all users would be one.
  if (key !== undefined) return `has {{user}} in ${key}. It can stand in args, env, cwd and headers.`;
  if (command !== undefined) {
    if (config.auth === 'user') return 'has auth: user, which is for servers with a url.';
    if (type !== undefined && type !== 'stdio') return `is of type ${type}, which has a url and no command.`;
    const { env_pass: passed = [] } = config;
    const set = toTexts(config.env);
    const own = config.cwd === undefined ? undefined : resolve(folder, expandHome(config.cwd, env));
    const written = expandHome(command, env);
    // Beside the file, unless a folder is named: from there, as in other clients. A folder of a user names no program.
    const from = own === undefined || hasUser(own) ? folder : own;
    const program = written.includes('/') || written.includes(sep) ? resolve(from, written) : written;
    return {
      type: 'stdio',
      named: [...Object.keys(set), ...passed],
      file: program,
      args: args.map(String),
      cwd: own ?? workingFolder,
      env: childEnvironment({ allowed: [...PASSED, ...passed], set, from: env }),
    };
  }
  if (url === undefined) return 'needs a command to start, or the url of a server that runs already.';
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return 'has a url that is no http: or https: address.';
  const headers = toTexts(config.headers);
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (hasOwn && config.oauth !== undefined) return 'has both oauth and an authorization header. Keep one of them.';
  const oauth = hasOwn ? undefined : readOAuth(config.oauth, (path) => resolve(folder, expandHome(path, env)));
  if (typeof oauth === 'string') return oauth;
  return checkAuth(config, oauth) ?? { type: type === 'sse' ? 'sse' : 'http', url, headers, oauth };
}

/** Returns the fault of the settings for logins of users, if any. */
function checkAuth(config: ServerConfig, oauth: OAuthSettings | undefined): string | undefined {
  const { grant, identityProvider, issuer } = oauth ?? {};
  const isOfUser =
    grant === 'token_exchange' || (identityProvider !== undefined && identityProvider.idToken === undefined);
  if (config.auth !== 'user')
    return isOfUser ? 'has oauth that exchanges the tokens of users. Write auth: user beside it.' : undefined;
  if (oauth === undefined) return 'has auth: user and an authorization header. Keep one of them.';
  if (config.type === 'sse') return 'has auth: user, which needs streamable HTTP. Leave out type: sse.';
  if (config.share === 'board')
    return 'has auth: user and share: board. Users do not share a connection: use share: user.';
  if (grant === 'client_credentials' || (grant === 'jwt_bearer' && !isOfUser))
    return `has auth: user and grant: ${grant}, which is the same for all users.`;
  // A server names its authorization server itself, and must not collect the tokens of users.
  if (grant === 'token_exchange' && issuer === undefined)
    return 'has oauth.grant: token_exchange without oauth.issuer, the authorization server that gets the tokens of users.';
  return undefined;
}

/** Reads the settings for tokens, or their fault. */
function readOAuth(config: ServerConfig['oauth'] = {}, locate: (path: string) => string): OAuthSettings | string {
  const { assertion, assertion_file: file, identity_provider: provider } = config;
  const toSource = (text: string | undefined, path: string | undefined): TokenSource | undefined => {
    if (text !== undefined) return { type: 'text', text };
    return path === undefined ? undefined : { type: 'file', file: locate(path) };
  };
  const sources = [assertion, file, provider].filter((source) => source !== undefined).length;
  if (sources !== (config.grant === 'jwt_bearer' ? 1 : 0))
    return 'has oauth that does not fit: grant: jwt_bearer goes with one of assertion, assertion_file and identity_provider.';
  if (provider?.id_token !== undefined && provider.id_token_file !== undefined)
    return 'has an oauth.identity_provider with both id_token and id_token_file. Keep one of them.';
  return {
    assertion: toSource(assertion, file),
    identityProvider:
      provider === undefined
        ? undefined
        : {
            tokenEndpoint: provider.token_endpoint,
            clientId: provider.client_id,
            clientSecret: provider.client_secret,
            idToken: toSource(provider.id_token, provider.id_token_file),
          },
    clientId: config.client_id,
    clientSecret: config.client_secret,
    clientMetadataUrl: config.client_metadata_url,
    privateKey: config.private_key,
    algorithm: config.algorithm ?? 'ES256',
    scope: config.scope,
    grant: config.grant ?? 'authorization_code',
    issuer: config.issuer,
  };
}

function readSettings(name: string, config: ServerConfig, address: ServerAddress): ServerSettings {
  const { idle, protocol = 'auto' } = config;
  return {
    name,
    address,
    startTimeout: toTime(config.start_timeout) ?? DEFAULT_START,
    idle: idle === 'never' ? Infinity : (toTime(idle) ?? DEFAULT_IDLE),
    maxFrame: config.max_frame ?? DEFAULT_MAX_FRAME,
    era: protocol === 'auto' ? undefined : protocol === '2026-07-28' ? 'modern' : 'legacy',
    share: config.share ?? 'user',
    auth: config.auth,
    roots: config.roots,
    sampling: config.sampling,
    elicitation: config.elicitation,
    maxInstances: config.max_instances ?? DEFAULT_INSTANCES,
  };
}

function readRules(config: ServerConfig, madePrefix: string): ServerRules {
  const tools = new Map<string, ToolOverride>();
  for (const [tool, { timeout, max_output: maxOutput, max_media: maxMedia, ...rest }] of Object.entries(
    config.tools ?? {},
  )) {
    tools.set(tool, { ...rest, timeout: toTime(timeout), maxOutput, maxMedia: toBytes(maxMedia) });
  }
  for (const [tool, other] of Object.entries(config.rename ?? {})) {
    tools.set(tool, { ...tools.get(tool), name: other });
  }
  return {
    prefix: config.prefix ?? madePrefix,
    isPrefixWritten: config.prefix !== undefined,
    madePrefix,
    include: config.include,
    exclude: [...(config.exclude ?? []), ...(config.disabledTools ?? [])],
    tools,
    category: config.category,
    tags: config.tags,
    risk: config.risk,
    paths: config.paths,
    trustHints: config.trust_hints,
    keepsHidden: config.hidden_text === 'keep',
    passesInstructions: config.instructions !== false,
    offersPrompt: toPick(config.prompts),
    offersResource: toPick(config.resources),
    timeout: toTime(config.timeout),
    maxOutput: config.max_output,
    maxMedia: toBytes(config.max_media),
  };
}

function toPick(picked: boolean | readonly string[] = true): (name: string) => boolean {
  if (typeof picked === 'boolean') return () => picked;
  const globs = picked.map(compileGlob);
  return (name) => globs.some((matches) => matches(name));
}

function toTime(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : parseDuration(value) || undefined;
}

function toBytes(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : parseSize(value);
}

function toTexts(values: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
