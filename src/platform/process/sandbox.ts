import { childEnvironment } from './child-environment.ts';
import { describeExit } from './describe-exit.ts';
import { runProcess } from './run-process.ts';

export interface SandboxRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute paths that the command may read, and those it may also write. */
  readonly folders?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  /** Allows network access. Default: false. */
  readonly network?: boolean;
  /** Must be within the folders. */
  readonly cwd?: string | undefined;
  /** An existing folder inside the named ones that stays empty for the command. */
  readonly hidden?: string | undefined;
}

/**
 * Separate processes and devices, and no capabilities even for root, which could otherwise remount read-only folders. Nothing survives the
 * board, and nothing can type into its terminal. bubblewrap always sets no_new_privs.
 */
const ISOLATION =
  '--cap-drop ALL --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent --new-session --dev /dev'.split(
    ' ',
  );
/** Root could write kernel settings in /proc/sys without any capability. */
const PROC = ['--proc', '/proc', '--remount-ro', '/proc'];
/** Options for isolating users, best first. The system determines which ones work. */
const USERS = [
  { options: ['--unshare-user', '--disable-userns'], meaning: 'own user namespace, none inside it' },
  { options: ['--unshare-user'], meaning: 'own user namespace' },
  { options: ['--unshare-user-try'], meaning: 'no user namespace of its own' },
] as const;
/** Folders that programs need to start, if the system has them. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** Names, certificates, libraries and time zones, none of them secret. */
const SETTINGS = [
  'alternatives',
  'ca-certificates',
  'group',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'nsswitch.conf',
  'passwd',
  'pki',
  'protocols',
  'resolv.conf',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
].map((name) => `/etc/${name}`);

/** Wraps a command line in bubblewrap: separate processes, no network, only the named folders. */
export function sandboxArgv(request: SandboxRequest): { file: string; args: string[] } {
  const { file, args, folders, network = false, cwd, hidden } = request;
  const options = [
    ...(network ? [] : ['--unshare-net']),
    ...[...SYSTEM, ...SETTINGS].flatMap((path) => ['--ro-bind-try', path, path]),
    '--tmpfs',
    '/tmp',
    ...bindFolders(folders),
    ...(hidden === undefined ? [] : ['--tmpfs', hidden]),
    ...(cwd === undefined ? [] : ['--chdir', cwd]),
  ];
  return { file: 'bwrap', args: [...users.options, ...ISOLATION, ...PROC, ...options, '--', file, ...args] };
}

/**
 * Wraps a command line so that one existing folder is empty for it; all else stays as it is. The command has its own user namespace: it
 * cannot reach the folder through `/proc` of other processes, and cannot unmount what hides it.
 */
export function hidingArgv(hidden: string, cwd: string, argv: readonly string[]): string[] {
  const options = ['--cap-drop', 'ALL', '--die-with-parent', '--dev-bind', '/', '/', '--tmpfs', hidden, '--chdir', cwd];
  return ['bwrap', ...users.options, ...options, '--', ...argv];
}

/** Binds outer folders first, so that inner ones keep their own rules. Writable folders are readable. */
function bindFolders({ read = [], write = [] }: SandboxRequest['folders'] = {}): string[] {
  const rules = new Map([
    ...read.map((path) => [path, '--ro-bind'] as const),
    ...write.map((path) => [path, '--bind'] as const),
  ]);
  return [...rules].toSorted(([a], [b]) => a.length - b.length).flatMap(([path, rule]) => [rule, path, path]);
}

let users: (typeof USERS)[number] = USERS[0];
let problem: Promise<string | undefined> | undefined;

/** Returns the reason why the sandbox does not work on this system, if any. Checks once, and selects the options for `sandboxArgv`. */
export function findSandboxProblem(): Promise<string | undefined> {
  return (problem ??= trySandbox());
}

/** Describes the isolation on this system. Call it after `findSandboxProblem`. */
export function describeSandbox(): string {
  return `works: no capabilities, no new privileges, ${users.meaning}`;
}

async function trySandbox(): Promise<string | undefined> {
  const env = childEnvironment({ from: process.env });
  let first: string | undefined;
  for (users of USERS) {
    const signal = AbortSignal.timeout(10_000);
    const outcome = await runProcess({ ...sandboxArgv({ file: 'true', args: [] }), env, signal });
    if (outcome.type === 'exited' && outcome.code === 0) return undefined;
    if (outcome.type === 'failed' && outcome.reason === 'not_found')
      return 'bubblewrap is not installed. Install it, on Debian with: apt-get install bubblewrap';
    first ??= describeExit(outcome).trim();
  }
  return `bubblewrap does not work on this system: ${first ?? ''}`;
}
