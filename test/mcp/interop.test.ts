// Clients that other people wrote, with all that they offer, against a board with a server that other people wrote. The whole
// run, with clients and servers that are not among the project's own packages, is `npm run interop`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveBoard, type ServedBoard } from '../../interop/board.ts';
import { checkClient } from '../../interop/check-client.ts';
import { aiSdk } from '../../interop/clients/ai-sdk.ts';
import { sdkV1 } from '../../interop/clients/sdk-v1.ts';
import { sdkV2, sdkV2Legacy } from '../../interop/clients/sdk-v2.ts';
import { FEATURES } from '../../interop/features.ts';
import { fillInteropPage, INTEROP_PAGE } from '../../interop/page.ts';
import { listFailures, readInteropResults } from '../../interop/results.ts';
import { CLI } from '../cli-program.test-helper.ts';

let target: ServedBoard;
beforeAll(async () => {
  target = await serveBoard([process.execPath, CLI]);
});
afterAll(() => target.close());

// Tasks take seconds: task-clients.test.ts has them.
const features = FEATURES.filter((feature) => feature !== 'tasks');
const answerElsewhere = (): Promise<void> => Promise.reject(new Error('The user of the client answers.'));

describe.concurrent('over HTTP', () => {
  it.for([sdkV1, sdkV2, sdkV2Legacy, aiSdk])('$name gets all that it offers', async (client, { expect }) => {
    const { outcomes } = await checkClient(client, 'http', { target, answerElsewhere, features });
    const expected = features.map((feature) => {
      const why = client.lacks[feature];
      return [feature, why === undefined ? { type: 'works' } : { type: 'not offered', why }];
    });
    expect(outcomes).toEqual(Object.fromEntries(expected));
  });
});

describe('the page of clients and servers', () => {
  it('has the tables of the last run, in which nothing failed that is not the fault of a client', () => {
    const results = readInteropResults();
    const page = readFileSync(join(import.meta.dirname, '../..', INTEROP_PAGE), 'utf8');
    expect(fillInteropPage(page, results)).toBe(page);
    expect(listFailures(results)).toEqual([]);
    expect(results.servers.length).toBeGreaterThanOrEqual(12);
  });
});
