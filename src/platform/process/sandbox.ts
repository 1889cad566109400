import { childEnvironment } from './child-environment.ts';
import { describeExit } from './describe-exit.ts';
import { runProcess } from './run-process.ts';

/** A command line to put into a sandbox. */
export interface SandboxRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute folders (or files) the command may read, and those it may also change. */
  readonly folders?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  /** Whether it may use the network. Default: false. */
  readonly network?: boolean;
  /** Must be within the folders. */
  readonly cwd?: string | undefined;
}

/**
 * Own processes, devices and no capability, also when root runs the board: root could remount what is read-only otherwise. Nothing
 * survives the board, and nothing can type into its terminal. bubblewrap always sets no_new_privs.
 */
const ISOLATION =
  '--cap-drop ALL --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent --new-session --dev /dev'.split(
    ' ',
  );
/** Settings of the kernel in /proc/sys are root's to write, without any capability. */
const PROC = ['--proc', '/proc', '--remount-ro', '/proc'];
/** How the users inside are kept apart from those outside, the best first; which ones work depends on the system. */
const USERS = [
  { options: ['--unshare-user', '--disable-userns'], meaning: 'own user namespace, none inside it' },
  { options: ['--unshare-user'], meaning: 'own user namespace' },
  { options: ['--unshare-user-try'], meaning: 'no user namespace of its own' },
] as const;
/** What programs need to start at all, where the system has it. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** Names, certificates, libraries and time zones: nothing that is secret. */
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

/** The command line that runs another one under bubblewrap: own processes, no network, only the named folders. */
export function sandboxArgv(request: SandboxRequest): { file: string; args: string[] } {
  const { file, args, folders, network = false, cwd } = request;
  const options = [
    ...(network ? [] : ['--unshare-net']),
    ...[...SYSTEM, ...SETTINGS].flatMap((path) => ['--ro-bind-try', path, path]),
    '--tmpfs',
    '/tmp',
    ...bindFolders(folders),
    ...(cwd === undefined ? [] : ['--chdir', cwd]),
  ];
  return { file: 'bwrap', args: [...users.options, ...ISOLATION, ...PROC, ...options, '--', file, ...args] };
}

/** Outer folders first, so that an inner one keeps rules of its own; what may be written may be read. */
function bindFolders({ read = [], write = [] }: SandboxRequest['folders'] = {}): string[] {
  const rules = new Map([
    ...read.map((path) => [path, '--ro-bind'] as const),
    ...write.map((path) => [path, '--bind'] as const),
  ]);
  return [...rules].toSorted(([a], [b]) => a.length - b.length).flatMap(([path, rule]) => [rule, path, path]);
}

let users: (typeof USERS)[number] = USERS[0];
let problem: Promise<string | undefined> | undefined;

/** Why command lines cannot be sandboxed here, or `undefined` when they can. Tried once, and finds what `sandboxArgv` may use. */
export function findSandboxProblem(): Promise<string | undefined> {
  return (problem ??= trySandbox());
}

/** How far a sandbox keeps a command apart on this system; right after `findSandboxProblem`. */
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
