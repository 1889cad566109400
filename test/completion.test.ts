// The Tab key in real shells.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';
import { runAtTerminal } from './terminal.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const base = mkdtempSync(join(tmpdir(), 'pegboard-completion-'));
const folder = join(base, 'board');
const bin = join(base, 'bin');
const env = {
  PATH: [bin, process.env['PATH']].join(delimiter),
  HOME: base,
  ZDOTDIR: base,
  XDG_CONFIG_HOME: base,
  XDG_DATA_HOME: base,
};
afterAll(() => rmSync(base, { recursive: true }));
beforeAll(() => {
  mkdirSync(folder);
  mkdirSync(bin);
  writeFileSync(join(bin, 'pegboard'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(join(bin, 'pegboard'), 0o755);
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `import: [more.yaml]
mcpServers: { tracker: { command: touch, args: [started] } }
agents: { helper: { description: Helps, system: Help. } }
tools:
  - name: lamp_switch
    type: cli
    description: "Switch a \\u202Elamp"
    command: echo
    args:
      - { name: room, required: true, description: Which room, enum: [kitchen, hall, '$(touch pwned)'] }
      - { name: dim, type: boolean, description: Less bright }
      - { name: tags, type: array }
  - { name: code, type: script, file: ./code.mjs }
  - { name: notes, type: rag, description: Notes, collection: notes }
`,
  );
  writeFileSync(
    join(folder, 'more.yaml'),
    'tools: [{ name: lamp_list, type: cli, description: List, command: echo }]\n',
  );
  writeFileSync(
    join(folder, 'code.mjs'),
    'import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\nexport const t = { metadata: { name: "in_code", description: "x" }, schema: { type: "object" }, execute() {} };\n',
  );
});

/** Returns the words that the completion scripts offer. */
function complete(...words: string[]): string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, '__complete', '--', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual(['', 0]);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('what is completed', () => {
  it('commands, groups and options', () => {
    expect(complete('val')).toEqual(['validate\tCheck config files and show every error']);
    expect(complete('mcp', 're')).toEqual(['remove\tRemove an MCP server from the board']);
    expect(complete('help', 'ser')).toEqual(['serve\tServe the tools to MCP clients']);
    expect(complete('call', 'lamp_switch', '--dry')).toEqual([
      '--dry-run\tShow the exact command line, request or search, without running it',
    ]);
    expect(complete('search', '--risk', 'r')).toEqual(['read']);
    expect(complete('serve', '--mode=d')).toEqual(['--mode=discovery']);
    expect(complete('serve', '--print-config', 'c')).toEqual(['claude', 'claude-code', 'cursor', 'codex']);
    expect(complete('validate', '')).toEqual([':files']);
    expect(complete('call', '--file', '')).toEqual([':files']);
  });

  it('names of tools, servers and agents, of imported files too', () => {
    expect(complete('call', 'l')).toEqual(['lamp_list\tList', 'lamp_switch\tSwitch a \\u202elamp']);
    expect(complete('show', 'notes')).toEqual([
      expect.stringMatching(/^notes-search\t/),
      expect.stringMatching(/^notes-store\t/),
    ]);
    expect(complete('call', '--file', 'more.yaml', 'l')).toEqual(['lamp_list\tList']);
    expect(complete('mcp', 'remove', '')).toEqual(['tracker']);
    expect(complete('login', '')).toEqual(['tracker']);
    expect(complete('agent', '')).toEqual(['helper']);
    expect(complete('add', 'pack:gi')).toEqual(['pack:git']);
    expect(complete('add', 'pa')).toEqual(expect.arrayContaining(['pack:docker', 'pack:systemd']));
    expect(complete('add', './no')).toEqual([':files']);
  });

  it('arguments of a tool and their values, but nothing that a shell would run', () => {
    expect(complete('call', 'lamp_switch', '')).toEqual(['room=\t(required) Which room', 'dim=\tLess bright', 'tags=']);
    expect(complete('call', 'lamp_switch', 'room=hall', 'tags=a', '')).toEqual(['dim=\tLess bright', 'tags=']);
    expect(complete('call', 'lamp_switch', 'room=')).toEqual(['room=kitchen', 'room=hall']);
    expect(complete('call', 'lamp_switch', 'dim=t')).toEqual(['dim=true']);
  });

  it('says nothing where nothing is known, starts nothing and runs no code', () => {
    expect(complete('nonsense', '')).toEqual([]);
    expect(complete('call', 'no_such_tool', '')).toEqual([]);
    expect(complete('call', '--file', 'gone.yaml', '')).toEqual([]);
    writeFileSync(join(folder, 'broken.yaml'), 'tools: [');
    expect(complete('call', '--file', 'broken.yaml', '')).toEqual([]);
    expect(complete()).toEqual(expect.arrayContaining([expect.stringMatching(/^init\t/)]));
    for (const trace of ['started', 'ran', 'pwned', '.pegboard']) expect(existsSync(join(folder, trace))).toBe(false);
  });
});

describe('in shells', () => {
  const steps = (setup: string) =>
    [
      ['READY>', `${setup}\r`],
      // The line that it prints, then the next prompt: what is typed before a shell reads may be lost.
      ['SET\r\n', ''],
      ['READY>', 'pegboard call lamp_s\t'],
      ['lamp_switch', 'room=ki\t'],
      ['kitchen', '--dry\t'],
      ['--dry-run', '| tail -n 3\r'],
      ['cwd:', 'exit\r'],
    ] as const;

  it('bash', needs('python3'), async () => {
    writeFileSync(join(base, 'bashrc'), "PS1='READY> '\n");
    const { shown } = await runAtTerminal(['bash', '--noprofile', '--rcfile', join(base, 'bashrc'), '-i'], {
      cwd: folder,
      env,
      steps: steps('source <(pegboard completion bash); echo SE""T'),
    });
    expect(shown).toContain('"--room=kitchen"');
  });

  it('zsh', needs('zsh', 'python3'), async () => {
    writeFileSync(join(base, '.zshrc'), "PS1='READY> '\nunsetopt zle_bracketed_paste 2>/dev/null\n");
    const { shown } = await runAtTerminal(['zsh', '-i'], {
      cwd: folder,
      env,
      steps: steps('autoload -Uz compinit; compinit -u; source <(pegboard completion zsh); echo SE""T'),
    });
    expect(shown).toContain('"--room=kitchen"');
  });

  it('fish', needs('fish'), () => {
    const fish = (line: string): string[] => {
      const script = `source (pegboard completion fish | psub); complete -C '${line}'`;
      const { stdout } = spawnSync('fish', ['--no-config', '-c', script], {
        cwd: folder,
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
      return stdout.split('\n').filter((text) => text !== '');
    };
    expect(fish('pegboard call lamp_s')).toEqual(['lamp_switch\tSwitch a \\u202elamp']);
    expect(fish('pegboard call lamp_switch room=ki')).toEqual(['room=kitchen']);
    expect(fish('pegboard validate mo')).toEqual([expect.stringMatching(/^more\.yaml/)]);
  });

  it('refuses other shells', () => {
    const printed = spawnSync(process.execPath, [CLI, 'completion', 'tcsh'], { encoding: 'utf8' });
    expect(printed.stderr).toContain('The shell must be one of: bash, zsh, fish; got "tcsh".');
  });

  const shells = { bash: {}, zsh: needs('zsh'), fish: needs('fish') };
  for (const [shell, options] of Object.entries(shells)) {
    it(`prints a script that ${shell} can read`, options, () => {
      const { stdout } = spawnSync(process.execPath, [CLI, 'completion', shell], { encoding: 'utf8' });
      writeFileSync(join(base, 'script'), stdout);
      const checked = spawnSync(shell, ['-n', join(base, 'script')], { encoding: 'utf8' });
      expect([checked.stderr, checked.status]).toEqual(['', 0]);
    });
  }
});
