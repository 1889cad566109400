/**
 * Variables that name trusted certificates, for example behind a company proxy: for OpenSSL, Go, Rust, curl, git, Node, Python's requests
 * and pip, cargo, Deno, gRPC, AWS and Google. They name files and contain no secrets. Variables that disable checks or name a certificate
 * of the user are not included.
 */
const CERTIFICATES: readonly string[] = [
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NIX_SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'HTTPLIB2_CA_CERTS',
  'AWS_CA_BUNDLE',
  'CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE',
];
/** Variables that every child receives if the board has them. */
const DEFAULT_ENVIRONMENT: ReadonlySet<string> = new Set(['PATH', 'HOME', 'LANG', ...CERTIFICATES]);

/** Returns true for a variable that every child receives if the board has it. */
export function isAlwaysPassed(name: string): boolean {
  return DEFAULT_ENVIRONMENT.has(name);
}

export interface ChildEnvironmentOptions {
  /** Further names to pass on, with `*` and `?` as wildcards: `LC_*`. */
  readonly allowed?: readonly string[];
  /** Variables with their values. They override passed-on ones. */
  readonly set?: Readonly<Record<string, string>>;
  /** The source of passed-on values, such as `process.env`. */
  readonly from: Readonly<Record<string, string | undefined>>;
}

/** Builds the complete environment of a child: PATH, HOME, LANG, certificates, and the allowed and set variables. */
export function childEnvironment({ allowed = [], set = {}, from }: ChildEnvironmentOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  const take = (name: string): void => {
    const value = from[name];
    if (value !== undefined) environment[name] = value;
  };
  DEFAULT_ENVIRONMENT.forEach(take);
  for (const name of allowed) {
    if (isGlob(name)) {
      const pattern = toPattern(name);
      Object.keys(from)
        .filter((candidate) => pattern.test(candidate))
        .forEach(take);
    } else {
      take(name);
    }
  }
  return Object.assign(environment, set);
}

function isGlob(name: string): boolean {
  return name.includes('*') || name.includes('?');
}

/** Compiles a name with `*` and `?` as wildcards. */
export function toPattern(glob: string): RegExp {
  // Repeated stars become one and names are short, so matching cannot take long.
  const source = glob
    .replaceAll(/\*+/g, '*')
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}

/** A name that no program has: commands that need an editor fail at once with this name in the message. */
export const NO_EDITOR = 'pegboard-has-no-editor';

/**
 * Environment defaults for commands: pagers do not wait for a key, no password is requested, and editors fail at once. git accepts prepared
 * text, as for `rebase --continue`, and refuses without any.
 */
export const WITHOUT_TERMINAL: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  EDITOR: NO_EDITOR,
  VISUAL: NO_EDITOR,
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: NO_EDITOR,
};
