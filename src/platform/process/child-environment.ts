/**
 * Where programs find the certificates that they trust, behind the proxy of a company or before a server of its own: OpenSSL, Go, Rust and
 * others, curl, git, Node, Python's requests and pip, cargo, Deno, gRPC, AWS and Google. They name files and hold no secrets. Those that
 * turn checks off, and those that name a certificate of the user, are not among them.
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
/** What a child always sees, where the board has it. */
const DEFAULT_ENVIRONMENT: ReadonlySet<string> = new Set(['PATH', 'HOME', 'LANG', ...CERTIFICATES]);

/** Whether a child sees a variable that no one allowed, where the board has it. */
export function isAlwaysPassed(name: string): boolean {
  return DEFAULT_ENVIRONMENT.has(name);
}

/** What a child's environment is made from. */
export interface ChildEnvironmentOptions {
  /** Further names to pass on; `*` and `?` stand for any characters and any one: `LC_*`. */
  readonly allowed?: readonly string[];
  /** Variables with values of their own; they win over what is passed on. */
  readonly set?: Readonly<Record<string, string>>;
  /** Where passed-on values come from, such as `process.env`. */
  readonly from: Readonly<Record<string, string | undefined>>;
}

/** The whole environment of a child: PATH, HOME, LANG, where certificates are, the allowed names and the set ones, and nothing else. */
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

function toPattern(glob: string): RegExp {
  // Runs of stars become one, and names are short: the pattern cannot be made to hang.
  const source = glob
    .replaceAll(/\*+/g, '*')
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
