// The one table of what tests use and a machine may not have. Tests ask it through `needs` in test/needs.test-helper.ts.
import { accessSync, constants, existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { manFolders } from '../../src/import/command-line/man/find-man-page.ts';
import { POSTGRES_BIN } from '../../src/platform/postgres/test-server.test-helper.ts';
import { findSandboxProblem } from '../../src/platform/process/sandbox.ts';

/** A program, data or a server that some tests use. */
export interface Part {
  /** The tests that use it, as the end of "needed for". */
  readonly why: string;
  /** The programs of which one must be in PATH. */
  readonly programs?: readonly string[];
  readonly isThere: () => boolean | Promise<boolean>;
  /** Debian packages that bring it; of `a|b` the first that the machine's sources have. */
  readonly packages: readonly string[];
  /** True for files of packages that are there already: slim machines leave out manual pages. */
  readonly isReinstalled?: true;
  /** A script that brings it, after its packages, and whether only root may run it. */
  readonly script?: { readonly words: readonly string[]; readonly asRoot: boolean };
  /** Tells a person how to get it where the set-up does not. Default: `apt-get install` of the packages. */
  readonly how?: string;
}

const root = join(import.meta.dirname, '../..');

/** The folder with the official JSON Schema test suite. */
export const JSON_SCHEMA_SUITE: string = process.env['JSON_SCHEMA_SUITE'] ?? join(root, '.cache/json-schema-suite');

/** The folder with large public OpenAPI documents. */
export const OPENAPI_DOCUMENTS: string = process.env['OPENAPI_DOCUMENTS'] ?? join(root, '.cache/openapi-documents');

/** The root folder of a Debian that has PostgreSQL with pgvector. */
export const PGVECTOR_ROOT: string = join(root, '.cache/postgres-with-pgvector');

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of the first of these programs that is in PATH. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** The path of a browser that tests can drive. */
export function findBrowser(): string | undefined {
  return findProgram(...BROWSERS);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function program(name: string, why: string, packages: readonly string[] = [name]): Part {
  return { why, packages, programs: [name], isThere: () => findProgram(name) !== undefined };
}

function manual(page: string, debianPackage: string): Part {
  const isThere = (): boolean =>
    manFolders(process.env).some((folder) => globSync(join(folder, 'man[18]', `${page}.[18]*`)).length > 0);
  const why = `the import of ${page.replace('git-log', 'git')} from its manual`;
  return { why, packages: [debianPackage], isReinstalled: true, isThere };
}

/** True when the PostgreSQL of this machine's own packages has pgvector. */
export function hasOwnPgvector(): boolean {
  const version = POSTGRES_BIN?.split('/').at(-2);
  return version !== undefined && existsSync(`/usr/share/postgresql/${version}/extension/vector.control`);
}

/** Every part, by the name that tests and reports use. */
export const PARTS = {
  'apt-get-manual': manual('apt-get', 'apt'),
  aws: program('aws', 'the import of aws', ['awscli']),
  browser: {
    why: 'the inspector and apps in a browser',
    packages: ['chromium'],
    programs: BROWSERS,
    isThere: () => findBrowser() !== undefined,
  },
  curl: program('curl', 'the pack curl, the import of curl and a page for new users'),
  'curl-manual': manual('curl', 'curl'),
  docker: program('docker', 'the import of docker', ['docker-cli|docker.io']),
  ffmpeg: program('ffmpeg', 'the pack ffmpeg and the import of ffmpeg'),
  'ffmpeg-manual': manual('ffmpeg', 'ffmpeg'),
  'find-manual': manual('find', 'findutils'),
  fish: program('fish', 'completion in fish'),
  gh: program('gh', 'the pack gh and the import of gh'),
  'git-manual': manual('git-log', 'git-man'),
  jq: program('jq', 'the pack jq, the import of jq and a page for new users'),
  'jq-manual': manual('jq', 'jq'),
  'json-schema-suite': {
    why: 'the official JSON Schema test suite',
    isThere: () => existsSync(join(JSON_SCHEMA_SUITE, 'tests/draft7')),
    packages: [],
    script: { words: ['sh', 'scripts/json-schema-suite.sh'], asRoot: false },
    how: 'scripts/json-schema-suite.sh, or name its folder in JSON_SCHEMA_SUITE',
  },
  kubectl: program('kubectl', 'the import of kubectl', ['kubernetes-client']),
  'openapi-documents': {
    why: 'the import of large OpenAPI documents',
    isThere: () => existsSync(join(OPENAPI_DOCUMENTS, 'COMPLETE')),
    packages: [],
    script: { words: ['sh', 'scripts/openapi-documents.sh'], asRoot: false },
    how: 'scripts/openapi-documents.sh, or name their folder in OPENAPI_DOCUMENTS',
  },
  openssl: program('openssl', 'a server with a certificate of its own, and the import of openssl'),
  perl: program('perl', 'the import of a Perl script'),
  pgbouncer: {
    why: 'vectors through PgBouncer',
    packages: ['pgbouncer'],
    isThere: () => existsSync('/usr/sbin/pgbouncer'),
  },
  pgvector: {
    why: 'knowledge with vectors in PostgreSQL',
    isThere: () => process.env['PEGBOARD_TEST_POSTGRES_URL'] !== undefined,
    packages: ['debootstrap', 'debian-archive-keyring'],
    script: { words: ['sh', 'scripts/postgres-with-pgvector.sh', PGVECTOR_ROOT], asRoot: true },
    how: 'name a server with pgvector in PEGBOARD_TEST_POSTGRES_URL, such as scripts/postgres-with-pgvector.sh starts',
  },
  postgresql: {
    why: 'stores, replicas and knowledge in PostgreSQL',
    packages: ['postgresql'],
    isThere: () => POSTGRES_BIN !== undefined,
  },
  'postgresql-without-pgvector': {
    why: 'the message of a PostgreSQL server that has no pgvector',
    isThere: () => POSTGRES_BIN !== undefined && !hasOwnPgvector(),
    packages: [],
    how: 'run these tests where the package postgresql-…-pgvector is not installed',
  },
  ps: program('ps', 'how commands are started and ended', ['procps']),
  psql: program('psql', 'the pack psql', ['postgresql-client']),
  python3: program('python3', 'terminals, ZIP files and the import of Python scripts'),
  rg: program('rg', 'the pack ripgrep', ['ripgrep']),
  sandbox: {
    why: 'commands in a sandbox',
    isThere: async () => (await findSandboxProblem()) === undefined,
    packages: ['bubblewrap'],
    programs: ['bwrap'],
    how: 'apt-get install -y bubblewrap, on a machine whose users may make namespaces',
  },
  script: program('script', 'questions at a terminal', ['bsdutils']),
  sqlite3: program('sqlite3', 'the pack sqlite3'),
  systemctl: program('systemctl', 'the pack systemd and the import of systemctl', ['systemd']),
  'systemctl-manual': manual('systemctl', 'systemd'),
  vi: program('vi', 'a command that opens an editor', ['vim-tiny']),
  zsh: program('zsh', 'completion in zsh'),
} as const satisfies Readonly<Record<string, Part>>;

/** The name of a part. */
export type PartName = keyof typeof PARTS;

/** The names of all parts. */
// The keys of a constant are its own.
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

/** The parts that this machine does not have. */
export async function findMissingParts(): Promise<PartName[]> {
  const there = await Promise.all(PART_NAMES.map(async (name) => PARTS[name].isThere()));
  return PART_NAMES.filter((_, place) => there[place] !== true);
}

/** Tells a person how to get a part. */
export function howToGet(name: PartName): string {
  const { packages, how, isReinstalled }: Part = PARTS[name];
  const flags = isReinstalled === true ? "--reinstall -o 'DPkg::Options::=--path-include=/usr/share/man/*' " : '';
  return how ?? `apt-get install -y ${flags}${packages.map((one) => one.split('|')[0]).join(' ')}`;
}
