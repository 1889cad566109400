// The README's two commands on a machine that has npm and git and none of the programs that some tests use, for root and for
// a plain user. Only root can take programs away from a process: mounts of its own hide them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Part, PARTS } from '../scripts/test-set-up/parts.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-bare-'));
const canTry = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;

/** A test of each file that failed where programs are missing, and some that need none. */
const FILES = [
  'src/kinds/running/call-files.test.ts',
  'src/platform/process/spawn/spawner.test.ts',
  'test/cli.test.ts',
  'test/completion.test.ts',
  'test/packs/add-cli.test.ts',
  'test/stories',
];
const TESTS =
  'in shells|adds to a board|learning.yaml|start/platform.md|createSpawner (?:starts|uses)|seen in a sandbox';

interface Machine {
  readonly home: string;
  run(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<{ code: unknown; shown: string }>;
}

/** Stands for Debian's programs without a network: no lists, no docker-cli, no ffmpeg, and all at once fails for the one that fails. */
const FAKES = {
  'apt-get': String.raw`echo "$*" >> "$HOME/apt.log"
case "$1 $*" in
  install*ffmpeg*) echo 'E: Unable to locate package ffmpeg' >&2; exit 100 ;;
  install*) ;;
  *) exit 100 ;;
esac`,
  'dpkg-query': '[ "$4" = git-man ] && printf "install ok installed"',
  'apt-cache': 'case "$2" in docker-cli|gh) echo "Candidate: (none)" ;; *) echo "Candidate: 1.0" ;; esac',
  debootstrap: 'exit 1',
  npm: 'exit 1',
};

/** A copy of the project, in which a user finds everything in PATH but the programs of the parts. */
function makeMachine(user: 'root' | 'nobody', name: string = user): Machine {
  const own = join(folder, name);
  const [copy, bin, modules] = [join(own, 'pegboard'), join(own, 'bin'), join(own, 'pegboard/node_modules')];
  for (const path of [modules, bin, join(own, 'home')]) mkdirSync(path, { recursive: true });
  const isLeft = (path: string): boolean => ['.cache', '.git', 'dist', 'node_modules'].includes(basename(path));
  for (const entry of readdirSync(root))
    if (!isLeft(entry))
      cpSync(join(root, entry), join(copy, entry), { recursive: true, filter: (path) => !isLeft(path) });
  const parts: readonly Part[] = Object.values(PARTS);
  const hidden = new Set(parts.flatMap(({ programs = [] }) => programs));
  // Without what npm adds to PATH: the Node of the machine itself starts npm.
  const places = (process.env['PATH'] ?? '')
    .split(':')
    .filter((place) => !place.includes('node_modules'))
    .toReversed();
  const programs = new Map(
    places.flatMap((place) => (existsSync(place) ? readdirSync(place) : []).map((name) => [name, join(place, name)])),
  );
  for (const [program, path] of programs) if (!hidden.has(program)) symlinkSync(path, join(bin, program));
  const mounts = [
    `mount --bind ${join(root, 'node_modules')} ${modules}`,
    // vitest writes these beside the packages, which belong to another user here.
    ...['.vite', '.vite-temp'].map(
      (name) => `mkdir -p ${modules}/${name}; mount -t tmpfs -o mode=1777 tmpfs ${modules}/${name}`,
    ),
    ...['/usr/lib/postgresql', '/usr/share/man'].map((path) => `[ ! -d ${path} ] || mount -t tmpfs tmpfs ${path}`),
    `cd ${copy}`,
    `exec env -i "$@"`,
  ];
  if (user === 'nobody') spawnSync('chown', ['-R', '65534:65534', own]);
  const as = user === 'root' ? [] : ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  return {
    home: join(own, 'home'),
    async run(words, env = {}) {
      const variables = { PATH: bin, HOME: join(own, 'home'), NO_COLOR: '1', PEGBOARD_TEST_INSTALL: '0', ...env };
      const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
      const child = spawn('unshare', ['-m', 'sh', '-ec', mounts.join('\n'), '_', ...set, ...as, ...words]);
      let shown = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (shown += text));
      const [code] = await once(child, 'close');
      return { code, shown };
    },
  };
}

beforeAll(() => chmodSync(folder, 0o755));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!canTry).each(['root', 'nobody'] as const)('a bare machine, for %s', { concurrent: true }, (user) => {
  let machine: Machine;
  beforeAll(() => {
    machine = makeMachine(user);
  });

  it('shows the product with npm start, tests what it can with npm test and says what it left out', async () => {
    const started = await machine.run(['npm', 'start']);
    expect(started).toMatchObject({ code: 0 });
    expect(started.shown).toMatch(/\nTry next ─+\n\n(?: {2}\S.*\n){3}/);

    const tested = await machine.run(['npm', 'test', '--', ...FILES, '-t', TESTS]);
    expect(tested).toMatchObject({ code: 0 });
    const { shown } = tested;
    const [before = '', after = ''] = shown.split('Left out: ');
    for (const name of [
      'zsh',
      'fish',
      'sandbox',
      'browser',
      'gh',
      'ffmpeg',
      'jq',
      'rg',
      'psql',
      'postgresql',
      'ps',
      'curl-manual',
    ])
      expect(before).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    expect(before).toContain('PEGBOARD_TEST_INSTALL=0: nothing is installed');
    for (const name of ['zsh', 'fish', 'sandbox', 'jq', 'ps', 'python3'])
      expect(after).toMatch(new RegExp(`^  ${name} +\\d+  .*Get it: apt-get install -y `, 'm'));
    expect(shown).toMatch(/Tests\s+\d+ passed \|/);
    expect(shown).not.toMatch(/\bfailed\b/);
  });

  it('fails where nothing may be left out, and says what is missing', async () => {
    const { code, shown } = await machine.run(['npm', 'test'], { PEGBOARD_TEST_COMPLETE: '1' });
    expect(code).toBe(1);
    expect(shown).toContain('PEGBOARD_TEST_COMPLETE=1, and tests would be left out. Missing:');
    expect(shown).toContain('  zsh: needed for completion in zsh. Get it: apt-get install -y zsh');
    expect(shown).not.toContain(' RUN ');
  });
});

it.skipIf(!canTry)('installs what is missing where it may, and one package that fails holds up no other', async () => {
  const { home, run } = makeMachine('root', 'installing');
  for (const [name, script] of Object.entries(FAKES))
    writeFileSync(join(home, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const path = { PATH: `${home}:${join(home, '../bin')}`, PEGBOARD_TEST_INSTALL: '1' };
  const { code, shown } = await run(['node_modules/.bin/node', 'scripts/test-set-up.ts'], path);
  expect({ code, shown }).toMatchObject({ code: 0 });
  expect(shown).toContain('They are installed now, with apt-get. What is there already stays.\n');
  expect(shown).toContain('To prevent it: PEGBOARD_TEST_INSTALL=0 npm test\n');
  expect(shown).toContain('apt-get update failed; the lists of packages that are there are used');
  expect(shown).toContain('ffmpeg could not be installed: E: Unable to locate package ffmpeg');
  expect(shown).toContain('The package sources of this machine do not have gh.');
  expect(shown).toContain('scripts/openapi-documents.sh failed');
  const installed = readFileSync(join(home, 'apt.log'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('install'));
  expect(installed.every((line) => line.includes(' --no-remove '))).toBe(true);
  const last = installed.map((line) => line.split(' ').at(-1));
  expect(last).toEqual(expect.arrayContaining(['zsh', 'fish', 'jq', 'docker.io', 'chromium', 'postgresql']));
  expect(last).not.toContain('docker-cli');
  expect(installed.find((line) => line.includes('--reinstall'))).toMatch(/ git-man$/);
});
