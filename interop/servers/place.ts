import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './server.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const PAGE = '<!doctype html><title>Tea</title><h1>Tea</h1><button>Brew</button>';
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
`;

/** The things that servers work on: files, a repository, and answers of services elsewhere. */
export interface Places {
  /** The place for one of the two ways to reach servers. */
  of(side: 'direct' | 'board'): Place;
  close(): void;
}

/** Makes the places; `close` removes them. */
export async function makePlaces(browser: string): Promise<Places> {
  const root = mkdtempSync(join(tmpdir(), 'pegboard-interop-servers-'));
  const folder = join(root, 'files');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.md'), '# Notes\n\nBuy tea.\nBrew it.\n');
  writeFileSync(join(folder, 'code.js'), 'const unused = 1;\n');
  writeFileSync(join(folder, 'eslint.config.mjs'), "export default [{ rules: { 'no-unused-vars': 'error' } }];\n");
  writeFileSync(join(folder, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
  writeFileSync(join(folder, 'page.pdf'), PDF);
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=Begin', '--date=2026-01-01T00:00:00Z');
  const server = createServer((request, response) => {
    const isPage = request.url === '/page';
    response.setHeader('content-type', isPage ? 'text/html' : 'application/json');
    response.end(
      isPage ? PAGE : JSON.stringify({ success: true, resultObj: 'https://example.com/chart.png', results: [] }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server of the places has no port.');
  const outside = `http://127.0.0.1:${address.port}`;
  return {
    of(side) {
      const own = join(root, side);
      mkdirSync(own, { recursive: true });
      return { folder, own, outside, browser };
    },
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
