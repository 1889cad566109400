// Questions and tasks that one caller leaves behind cost other callers nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POSTGRES_BIN, startPostgres, type TestServer } from '../../src/platform/postgres/test-server.test-helper.ts';
import { answerOf, openSession, post } from '../mcp/http-client.test-helper.ts';
import { type ServedBoard, serveTwoCallers, type Who } from './two-callers.test-helper.ts';

const BOARD = `
tools:
  - { name: hello, type: cli, description: Says hello, command: echo hello, risk: read }
  - { name: much, type: cli, description: Prints much, command: "seq 1 20000", risk: read }
  - name: send
    type: cli
    description: Sends a text
    command: echo sent
    risk: destructive
    args: [{ name: text, positional: true }]
policy: { approval: { global: destructive, headless: wait } }
`;
/** The factor by which another caller's call may be slower during the attack, with room for a busy machine. */
const SLOWER = 10;
/** Milliseconds below which calls are not compared: what a busy machine adds. */
const NOISE = 100;

describe.each([
  { name: 'SQLite', isThere: true },
  { name: 'PostgreSQL', isThere: POSTGRES_BIN !== undefined },
])('with a store on $name', ({ name, isThere }) => {
  describe.skipIf(!isThere)('one caller', () => {
    let postgres: TestServer | undefined;
    let board: ServedBoard;
    let requests = 0;
    beforeAll(async () => {
      postgres = name === 'PostgreSQL' ? await startPostgres() : undefined;
      board = await serveTwoCallers(BOARD, postgres === undefined ? {} : { PEGBOARD_STORE: postgres.url });
    }, 120_000);
    afterAll(async () => {
      await board.close();
      await postgres?.close();
    });

    const listTasks = async (who: object): Promise<{ readonly tasks: unknown[]; readonly took: number }> => {
      const start = performance.now();
      const answer = await answerOf(
        post(`${board.url}/mcp`, { id: ++requests, method: 'tasks/list', params: {} }, who),
      );
      const { tasks } = answer?.result ?? {};
      if (!Array.isArray(tasks)) throw new Error(JSON.stringify(answer));
      return { tasks, took: performance.now() - start };
    };
    const open = (who: Who): Promise<object> => openSession(`${board.url}/mcp`, board.header(who), { tasks: {} });

    it('asks people for no more than its share, and others ask on at the same cost', async () => {
      const before = await board.median('ada', 'send');
      const large = await board.call('mallory', 'send', { text: 'x'.repeat(4_000_000) });
      expect(large.status).toBe(400);
      expect(JSON.parse(large.body).error).toMatchObject({
        code: 'invalid_arguments',
        message:
          'A person must approve this call of "send", and its arguments have 4,000,011 bytes as JSON, more than the 262,144 that a person can be asked about. It has not run. Pass less in one call: a part of the data, or the name of a file that has it.',
      });
      const answers: Awaited<ReturnType<ServedBoard['call']>>[] = [];
      for (let round = 0; round < 12; round++)
        answers.push(
          ...(await Promise.all(
            Array.from({ length: 4 }, () => board.call('mallory', 'send', { text: 'x'.repeat(260_000) })),
          )),
        );
      const kept = answers.filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status !== 202);
      expect(kept.length).toBeGreaterThan(1);
      expect(kept.length).toBeLessThan(40);
      for (const { status, body } of refused) {
        expect(status).toBe(429);
        expect(JSON.parse(body).error.message).toMatch(
          /^A person must approve this call of "send", and \d+ calls of the same caller, [\d,]+ bytes together, are waiting already/,
        );
      }
      const after = await board.median('ada', 'send');
      expect(after).toBeLessThan(before * SLOWER + NOISE);
      expect(await board.median('ada', 'hello')).toBeLessThan(before * SLOWER + NOISE);
    }, 240_000);

    it('keeps its results to itself: a list of others reads none of them', async () => {
      const [mallory, ada] = [await open('mallory'), await open('ada')];
      const begin = (who: object): Promise<unknown> =>
        answerOf(
          post(
            `${board.url}/mcp`,
            { id: ++requests, method: 'tools/call', params: { name: 'much', arguments: {}, task: { ttl: 600_000 } } },
            who,
          ),
        );
      await begin(ada);
      const before = await listTasks(ada);
      for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 10 }, () => begin(mallory)));
      const took: number[] = [];
      for (let count = 0; count < 9; count++) {
        const now = await listTasks(ada);
        expect(now.tasks).toHaveLength(1);
        took.push(now.took);
      }
      expect(took.toSorted((one, other) => one - other)[4]).toBeLessThan(before.took * SLOWER + NOISE);
      // A page has a hundred.
      expect((await listTasks(mallory)).tasks).toHaveLength(100);
    }, 240_000);
  });
});
