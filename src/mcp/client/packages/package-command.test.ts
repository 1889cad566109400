import { describe, expect, it } from 'vitest';
import { parsePackageCommand } from './package-command.ts';

function parse(...[file = '', ...args]: readonly string[]) {
  const command = parsePackageCommand({ file, args });
  return command && { text: command.spec.text, type: command.spec.wanted.type, bin: command.bin, args: command.args };
}

describe('parsePackageCommand', () => {
  it.for<[line: string, text: string, type: string, bin: string | undefined, args: string]>([
    ['npx foo', 'foo', 'any', undefined, ''],
    ['npx -y foo --flag -y -- x', 'foo', 'any', undefined, '--flag -y -- x'],
    ['/usr/bin/npx --yes -q @me/foo@1.2.3', '@me/foo@1.2.3', 'exact', undefined, ''],
    ['npx.cmd -y --silent foo@^1.2', 'foo@^1.2', 'range', undefined, ''],
    ['npx -y foo@1.x a', 'foo@1.x', 'range', undefined, 'a'],
    ['npx -y foo@latest a', 'foo@latest', 'tag', undefined, 'a'],
    ['npx -y -- foo -p bar', 'foo', 'any', undefined, '-p bar'],
    ['npx -p @me/foo@2.0.0-beta.1 foo-server a', '@me/foo@2.0.0-beta.1', 'exact', 'foo-server', 'a'],
    ['npx --package=foo -y -- bar a', 'foo', 'any', 'bar', 'a'],
    ['npx -p=foo bar', 'foo', 'any', 'bar', ''],
    ['npm exec -y -- foo@1.0.0 --flag', 'foo@1.0.0', 'exact', undefined, '--flag'],
    ['npm exec foo -- --flag', 'foo', 'any', undefined, '--flag'],
    ['npm x --package foo -- bar --flag', 'foo', 'any', 'bar', '--flag'],
  ])('reads %s', ([line, text, type, bin, args]) => {
    expect(parse(...line.split(' '))).toEqual({ text, type, bin, args: args.split(' ').filter((arg) => arg !== '') });
  });

  it.for([
    'npx',
    'npx -y',
    'npx -c foo',
    'npx --no-install foo',
    'npx -y --registry=https://example.com foo',
    'npx -p one -p two foo',
    'npx -p foo',
    'npx -p foo ../bar',
    'npx -y .',
    'npx -y ./foo',
    'npx -y ../foo',
    'npx -y /srv/foo',
    'npx -y @me/../foo',
    'npx -y ..',
    'npx -y @../foo',
    'npx -y foo/../../bar',
    'npx -y me/foo',
    'npx -y foo@../bar',
    'npx -y foo@file:bar',
    'npx -y foo@npm:bar@1.0.0',
    'npx -y foo@git+https://example.com/foo.git',
    'npx -y https://example.com/foo.tgz',
    'npx -y foo@',
    'npx -y {{user}}',
    'npm exec --flag -- foo',
    'npm exec foo --flag',
    'npm exec -p foo -- bar',
    'npm install foo',
    'npm run foo',
    'bunx foo',
    'pnpm dlx foo',
    'yarn dlx foo',
    'node foo',
  ])('leaves %s as it is', (line) => {
    expect(parse(...line.split(' '))).toBeUndefined();
  });
});
