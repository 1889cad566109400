import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OWNER_KEY } from '../../../tool/calls/call-owner.ts';
import { type SeenRequest, startServer } from '../../../platform/http/loopback-server.test-helper.ts';
import { faultOf, makeFolder, openHttpBoard } from '../http-board.test-helper.ts';
import { withParts } from './upload.ts';

const text = { type: 'string' };
const schema = { properties: { title: text, note: text, file: text, output: text, bytes: text, name: text } };
const multipart = {
  title: '{{title}}',
  fixed: 7,
  file: { output: '{{output}}', path: '{{file}}', content: '{{bytes}}', encoding: 'base64', type: 'image/png' },
  note: { content: '{{note}}', filename: '{{name}}.txt' },
};

/** Parses a form with files with a third-party parser. */
async function readForm(request: SeenRequest | undefined): Promise<Record<string, unknown>> {
  const headers = { 'content-type': String(request?.headers['content-type']) };
  const form = await new Response(new Uint8Array(request?.body ?? []), { headers }).formData();
  const entries = [...form].map(async ([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    return [name, { name: value.name, type: value.type, text: await value.text() }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function openUploads(head: object = {}) {
  const folder = makeFolder();
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'out', 'a "b".png'), 'picture');
  writeFileSync(join(folder, 'secret'), 'secret');
  symlinkSync('../secret', join(folder, 'out', 'link'));
  execFileSync('mkfifo', [join(folder, 'out', 'pipe')]);
  const server = await startServer((request, response) => {
    if (request.method === 'GET') response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(5000, 65));
    else response.end('ok');
  });
  const send = { schema, upload_from: 'out', paths: ['file'], requests: [{ url: server.origin, multipart }] };
  const get = { max_media: 1000, paths: [], requests: [{ url: server.origin }] };
  return { server, board: await openHttpBoard({ send, get }, { head, folder }), folder };
}

describe('a form with files', () => {
  it('has fields, and files from contents, paths and outputs', async () => {
    const { board, server } = await openUploads();
    const kept = await board.call('get', {});
    const { output } = kept.data as { output: string };
    await board.call('send', { title: 'Ä "x"\r\n', file: 'a "b".png' });
    await board.call('send', { bytes: Buffer.from('raw').toString('base64'), note: 'hi', name: 'x"\r\nevil: 1' });
    expect(await board.call('send', { output })).toMatchObject({ ok: true });
    const [, first, second, third] = server.seen;
    expect(await readForm(first)).toEqual({
      title: 'Ä "x"\r\n',
      fixed: '7',
      file: { name: 'a "b".png', type: 'image/png', text: 'picture' },
    });
    expect(await readForm(second)).toEqual({
      fixed: '7',
      file: { name: 'file', type: 'image/png', text: 'raw' },
      note: { name: 'x"\r\nevil: 1.txt', type: 'application/octet-stream', text: 'hi' },
    });
    expect(await readForm(third)).toMatchObject({ file: { text: 'A'.repeat(5000) } });
  });

  it('accepts no file outside the folder, and no pipe', async () => {
    const { board, server, folder } = await openUploads();
    for (const file of [
      '../secret',
      'link',
      join(folder, 'secret'),
      '/etc/hostname',
      'pipe',
      '.',
      'none',
      '/proc/self/environ',
    ]) {
      expect((await board.call('send', { file })).error).toMatchObject({
        code: 'invalid_arguments',
        field: 'file',
      });
    }
    expect((await board.call('send', { bytes: '***' })).error).toMatchObject({ code: 'invalid_arguments' });
    expect(server.seen).toEqual([]);
  });

  it('keeps to the roots of the policy as well', async () => {
    const { board, server } = await openUploads({ policy: { roots: ['elsewhere'] } });
    expect((await board.call('send', { file: 'a "b".png' })).text).toContain('must lie in an allowed folder');
    expect(server.seen).toEqual([]);
    const { board: allowed } = await openUploads({ policy: { roots: ['out'] } });
    expect(await allowed.call('send', { file: 'a "b".png' })).toMatchObject({ ok: true });
  });

  it('accepts no output of another caller', async () => {
    const { board } = await openUploads();
    const as = (user: string) => ({ context: { [OWNER_KEY]: user } });
    const { output } = (await board.call('get', {}, as('ada'))).data as { output: string };
    expect((await board.call('send', { output }, as('bob'))).error).toMatchObject({
      message: `Argument "output" does not name a stored output; got "${output}". Run the tool that produced it again, and send its id.`,
    });
    expect(await board.call('send', { output }, as('ada'))).toMatchObject({ ok: true });
  });

  it('is checked when the board is opened', async () => {
    const url = 'https://example.com/';
    const faults = [
      await faultOf({ requests: [{ url, multipart: { a: 'b' }, body: 'x' }] }),
      await faultOf({ schema, requests: [{ url, multipart: { a: { path: '/x/{{file}}' }, b: {} } }] }),
      await faultOf({ requests: [{ url, method: 'GET', multipart: { a: 'b' } }] }),
    ];
    expect(faults.join('\n')).toMatch(
      /multipart: is the whole body\.[^]*multipart\.a\.path: must be one placeholder[^]*multipart\.b: needs content, path or output[^]*method: must be POST/,
    );
  });
});

it.skipIf(process.platform !== 'linux')(
  'sends no file of a folder that becomes a link while it is opened',
  async () => {
    const folder = makeFolder();
    for (const [place, said] of [
      ['up/way', 'inside'],
      ['elsewhere', 'outside'],
    ] as const) {
      mkdirSync(join(folder, place), { recursive: true });
      writeFileSync(join(folder, place, 'file'), said);
    }
    symlinkSync('../elsewhere', join(folder, 'up', 'link'));
    const swaps = [
      ['way', 'real'],
      ['link', 'way'],
      ['way', 'link'],
      ['real', 'way'],
    ];
    const swap = `for (;;) for (const [from, to] of ${JSON.stringify(swaps)}) require('fs').renameSync(from, to);`;
    const child = spawn(process.execPath, ['-e', `console.log('ready'); ${swap}`], { cwd: join(folder, 'up') });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const part = { name: 'p', from: 'path', value: 'way/file', isBase64: false, argument: 'file' } as const;
    const sources = { folder: join(folder, 'up'), outputs: undefined, signal: new AbortController().signal };
    const request = { method: 'POST', url: 'http://x/' };
    const sent = new Set<string>();
    for (let attempt = 0; attempt < 1500; attempt++) {
      const made = await withParts(request, [{ ...part, filename: 'f', type: undefined }], sources).catch(
        () => undefined,
      );
      if (made !== undefined) sent.add(/inside|outside/.exec(String(made.body))?.[0] ?? '');
    }
    expect(sent).not.toContain('outside');
  },
);
