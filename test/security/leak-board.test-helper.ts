// A board whose every tool tells a secret, in every way it can be written, and a judge that knows them without the board's help.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryFile, fixtureFile } from '../cli-program.test-helper.ts';

/** With all that encodings treat in their own way. */
export const SECRET = 'S3cr/t+"value" é&<%> x=1?';
/** A secret that is a number. */
export const NUMBER = '9182736450';
/** A secret of fewer than eight characters. */
const SHORT = 'fake';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Every way to write the secret, by name; also in the script that the tools run. */
export const WAYS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  component: (secret) => encodeURIComponent(secret),
  uri: (secret) => encodeURI(secret),
  form: (secret) => new URLSearchParams({ q: secret }).toString().slice(2),
  lower: (secret) => encodeURIComponent(secret).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  json2: (secret) => JSON.stringify(JSON.stringify(secret)).slice(1, -1),
  unicode: (secret) => secret.replaceAll(/[^]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  html: (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  base64: (secret) => base64(secret),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  basic: (secret) => base64(`user:${secret}`),
  basic1: (secret) => base64(`u:${secret}:after`),
  basic2: (secret) => base64(`me:${secret}`),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  hexUpper: (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
};

/** Finds the secrets in a text, in any encoding; each match is at least eight characters of one. */
export function findLeaks(text: string): string[] {
  const found: string[] = [];
  for (const [way, write] of Object.entries(WAYS)) {
    const whole = write(SECRET);
    // Eight bytes of the middle: what is left of a secret must not be of use either.
    const part = way.startsWith('basic') || way.startsWith('base64') ? whole.slice(8, 20) : whole.slice(4, 14);
    if (text.includes(whole) || text.includes(part)) found.push(way);
  }
  if (text.includes(NUMBER)) found.push('number');
  if (/(?<![\p{L}\p{N}_])fake(?![\p{L}\p{N}_])/u.test(text)) found.push('short');
  return found;
}

const WAYS_SOURCE = `const base64 = (text) => Buffer.from(text).toString('base64');\nexport const WAYS = {${Object.entries(
  WAYS,
)
  .map(([name, write]) => `${name}: ${String(write)}`)
  .join(',\n')}};\n`;

const LEAK = `import { WAYS } from './ways.mjs';
const [mode] = process.argv.slice(2);
const secret = process.env.LEAK_TOKEN;
const all = Object.entries(WAYS).map(([name, write]) => name + ' <' + write(secret) + '>').join('\\n');
const text = all + '\\n' + process.env.NUMBER_KEY + ' fakery ' + process.env.SHORT_KEY + ' news\\n';
if (mode === 'big') for (let n = 0; n < 4000; n++) process.stdout.write(n + ' ' + 'x'.repeat(n % 97) + text);
else if (mode === 'fail') { process.stderr.write(text); process.exit(3); }
else process.stdout.write(text);
`;

const SCRIPT = `import { createTool, defineTool, ToolError, ToolResult } from ${JSON.stringify(entryFile('index'))};
import { WAYS } from './ways.mjs';
const secret = process.env.LEAK_TOKEN;
const all = Object.fromEntries(Object.entries(WAYS).map(([name, write]) => [name, write(secret)]));
export const values = defineTool({
  name: 'values', description: 'Values.', risk: 'read', schema: { type: 'object' },
  execute: (_, context) => {
    context.progress(1, 2, 'progress ' + Object.values(all).join(' '));
    context.log.info('log ' + Object.values(all).join(' '), { all });
    const data = { all, [secret]: [secret], number: Number(process.env.NUMBER_KEY), deep: [{ at: new URL('http://x/?' + new URLSearchParams({ q: secret })).href }] };
    return ToolResult.json(data).with({ meta: { notices: ['notice ' + secret], other: all }, content: [{ type: 'text', text: Object.values(all).join(' ') }] });
  },
});
export const breaks = defineTool({
  name: 'breaks', description: 'Breaks.', risk: 'read', schema: { type: 'object', properties: { kind: { type: 'string' } } },
  execute: ({ kind }) => {
    const text = Object.values(all).join(' ');
    if (kind === 'typed') throw new ToolError({ code: 'execution_failed', message: text, reason: text, field: 'x', issues: [{ path: [secret], message: text }], cause: new Error(text) });
    throw new Error(text, { cause: text });
  },
});
`;

/** The environment that the board is opened in. */
export const ENV = {
  LEAK_TOKEN: SECRET,
  NUMBER_KEY: NUMBER,
  SHORT_KEY: SHORT,
  HEADER_TOKEN: 'header-token-0123456789',
};

/** Writes the board into a new folder `board`, beside which its data is kept in `data`. */
export function placeLeakBoard(api: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'pegboard-secrets-')), 'board');
  const env = { LEAK_TOKEN: '${LEAK_TOKEN}', NUMBER_KEY: '${NUMBER_KEY}', SHORT_KEY: '${SHORT_KEY}' };
  const command = [process.execPath, join(folder, 'leak.mjs')];
  const cli = (name: string, mode: string): object => ({
    name,
    type: 'cli',
    description: `Prints \${LEAK_TOKEN} and ${mode}`,
    risk: name === 'asked' ? 'destructive' : 'read',
    command: [...command, mode],
    env,
    ...(name === 'asked' ? { confirm_message: 'Really, with ${LEAK_TOKEN}?' } : {}),
  });
  const board = {
    name: 'leaky',
    tools: [
      cli('prints', 'all'),
      cli('floods', 'big'),
      cli('fails', 'fail'),
      cli('asked', 'all'),
      {
        name: 'asks',
        type: 'http',
        description: 'Asks an API',
        risk: 'read',
        requests: [
          {
            url: `${api}/echo`,
            headers: { authorization: 'Bearer ${HEADER_TOKEN}' },
            query: { key: '${LEAK_TOKEN}' },
          },
        ],
        allow_hosts: [new URL(api).host],
      },
      { name: 'notes', type: 'rag', description: 'Notes', collection: 'notes', risk: 'read' },
      { type: 'script', file: './tools.ts' },
    ],
    rag: { collections: { notes: {} } },
    mcpServers: {
      leaky: {
        command: process.execPath,
        args: [fixtureFile('leaky-server'), '--token', '${LEAK_TOKEN}'],
        env: { LEAK_TOKEN: '${LEAK_TOKEN}' },
        risk: 'read',
      },
    },
    policy: { approval: { global: 'destructive' } },
    discovery: { learn: true, tools: true },
  };
  mkdirSync(folder);
  mkdirSync(join(folder, '../data'));
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(board, undefined, 2));
  writeFileSync(join(folder, 'ways.mjs'), WAYS_SOURCE);
  writeFileSync(join(folder, 'leak.mjs'), LEAK);
  writeFileSync(join(folder, 'tools.ts'), SCRIPT);
  return folder;
}
