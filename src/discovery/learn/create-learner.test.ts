import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoreSpace } from '../../platform/store/board-store.ts';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { fakeTool, makeConfigs } from '../boards.test-helper.ts';
import { ToolIndex } from '../tool-index.ts';
import {
  createLearner,
  forgetLearned,
  LEARNED_SPACE,
  type LearnedCall,
  type Learner,
  type LearnerOptions,
  readLearned,
} from './create-learner.ts';

interface Opened {
  readonly learner: Learner;
  readonly index: ToolIndex;
  readonly store: StoreSpace;
  readonly again: () => Promise<ToolIndex>;
  /** Runs a search, then a call. */
  readonly tell: (query: string, tool: string, rest?: Partial<LearnedCall>) => Promise<void>;
}

async function open(options: Partial<LearnerOptions> = {}): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-learn-'));
  let time = 0;
  const board = openBoardStore({ folder, clock: { now: () => ++time } });
  onTestFinished(async () => {
    await board.close();
    await rm(folder, { recursive: true });
  });
  const store = board.space(LEARNED_SPACE);
  const index = ToolIndex.from(makeConfigs());
  const learner = createLearner({ store, index, ...options });
  const again = async (): Promise<ToolIndex> => {
    const fresh = ToolIndex.from(makeConfigs());
    await createLearner({ store, index: fresh, ...options }).settled();
    return fresh;
  };
  const tell: Opened['tell'] = async (query, tool, rest = {}) => {
    learner.notice(search(query, [tool, 'other']));
    learner.notice(call(tool, rest));
    await learner.settled();
  };
  return { learner, index, store, again, tell };
}

function search(query: string, found: readonly string[], session = 's'): LearnedCall {
  return { tool: 'search_tools', args: { query }, ok: true, data: { tools: found.map((name) => ({ name })) }, session };
}

function call(tool: string, rest: Partial<LearnedCall> = {}): LearnedCall {
  return { tool, args: {}, ok: true, data: undefined, session: 's', ...rest };
}

const first = (index: ToolIndex, query: string): string | undefined => index.rank(query).hits[0]?.name;
const queriesOf = async (store: StoreSpace): Promise<string[]> => (await readLearned(store)).map(({ query }) => query);

describe('createLearner', () => {
  it('ranks a tool higher for a query that led to it, now and after a restart', async () => {
    const { index, tell, again, store } = await open();
    expect(first(index, 'sandwiches waiting')).toBeUndefined();
    await tell('which sandwiches are waiting', 'docker_ps');
    expect(first(index, 'sandwiches waiting')).toBe('docker_ps');
    expect(first(await again(), 'sandwiches waiting')).toBe('docker_ps');
    expect(await readLearned(store)).toEqual([
      { tool: 'docker_ps', query: 'which sandwiches are waiting', count: 1, learnedAt: expect.any(Number) },
    ]);
  });

  it('reads a search of several queries, each with its results', async () => {
    const { learner, store } = await open();
    const groups = [
      { query: 'list the boxes', tools: [{ name: 'docker_ps' }] },
      { query: 'save my work', tools: [{ name: 'git_commit' }] },
    ];
    learner.notice({ tool: 'search_tools', args: { queries: [] }, ok: true, data: { groups }, session: 's' });
    learner.notice(call('git_commit'));
    await learner.settled();
    expect(await readLearned(store)).toMatchObject([{ tool: 'git_commit', query: 'save my work' }]);
  });

  it('reads the results of climax_search', async () => {
    const { learner, store } = await open();
    learner.notice({
      tool: 'climax_search',
      args: { query: 'boxes' },
      ok: true,
      data: { mode: 'search', results: [{ tool_name: 'docker_ps' }] },
      session: 's',
    });
    learner.notice(call('docker_ps'));
    await learner.settled();
    expect(await queriesOf(store)).toEqual(['boxes']);
  });

  it('learns nothing from failed calls, other callers, tools not found or old searches', async () => {
    let time = 0;
    const { learner, tell, store } = await open({ now: () => time });
    await tell('list boxes', 'docker_ps', { ok: false });
    await tell('list boxes', 'docker_ps', { session: 'another' });
    learner.notice(search('list boxes', ['docker_run']));
    learner.notice(call('git_log'));
    time += 11 * 60_000;
    learner.notice(call('docker_ps'));
    learner.notice({ ...search('', ['docker_ps']), args: {} });
    learner.notice(call('docker_ps'));
    await learner.settled();
    expect(await queriesOf(store)).toEqual([]);
  });

  it('links a call to the last search that found the tool', async () => {
    const { learner, store } = await open();
    learner.notice(search('first words', ['docker_ps']));
    learner.notice(search('better words', ['docker_ps']));
    learner.notice(search('something else', ['git_log']));
    learner.notice(call('docker_ps'));
    learner.notice(call('docker_ps'));
    await learner.settled();
    expect(await readLearned(store)).toMatchObject([{ query: 'better words', count: 2 }]);
  });

  it('keeps the newest queries of each tool and of all', async () => {
    const { tell, store } = await open({ limits: { perTool: 3, most: 5 } });
    for (const number of ['one', 'two', 'three', 'four']) await tell(`boxes ${number}`, 'docker_ps');
    expect(await queriesOf(store)).toEqual(['boxes two', 'boxes three', 'boxes four']);
    for (const number of ['one', 'two', 'three']) await tell(`work ${number}`, 'git_log');
    expect(await queriesOf(store)).toEqual(['boxes three', 'boxes four', 'work one', 'work two', 'work three']);
  });

  it('removes secrets, and shortens long or odd queries', async () => {
    const { tell, store } = await open({ redact: (text) => text.replaceAll('hunter2', '[redacted]') });
    await tell('log in with hunter2 \u0000\n please', 'git_log');
    await tell(`${'very '.repeat(100)}long`, 'git_log');
    for (const odd of ['?!', '12345', 'hunter2', '\u0007']) await tell(odd, 'git_log');
    const [short, long, ...none] = await queriesOf(store);
    expect(short).toBe('log in with please');
    expect(long?.length).toBeLessThanOrEqual(200);
    expect(none).toEqual([]);
  });

  it('forgets a tool, or everything', async () => {
    const { tell, store, index, again } = await open();
    await tell('sandwiches', 'docker_ps');
    await tell('pancakes', 'git_log');
    expect(await forgetLearned(store, ['docker_ps'])).toBe(1);
    index.forget('docker_ps');
    expect([first(index, 'sandwiches'), first(index, 'pancakes')]).toEqual([undefined, 'git_log']);
    expect(await forgetLearned(store)).toBe(1);
    index.forget();
    expect(first(index, 'pancakes')).toBeUndefined();
    expect(first(await again(), 'pancakes')).toBeUndefined();
  });

  it('skips records it cannot read', async () => {
    const { store, again } = await open();
    await store.set('odd', 7);
    await store.set('odder', { tool: 3 });
    expect(await readLearned(store)).toEqual([]);
    expect((await again()).size).toBe(8);
  });
});

describe('ToolIndex.learn', () => {
  it('applies to a tool that is added later or changes, and counts the last 20', () => {
    const index = ToolIndex.from(makeConfigs());
    for (let n = 0; n < 25; n++) index.learn(`sandwich${n}`, 'docker_ps');
    expect(first(index, 'sandwich24')).toBe('docker_ps');
    index.learn('pancake', 'not_there');
    expect(first(index, 'pancake')).toBeUndefined();
  });
});

describe('what a tool has learned', () => {
  const makeShop = (): ToolIndex =>
    ToolIndex.from([
      {
        name: 'shop',
        tools: [
          fakeTool('list_invoices', 'Lists invoices and their state.'),
          fakeTool('find_products', 'Finds products by keyword.'),
          fakeTool('track_parcel', 'Tells where a parcel is.'),
          fakeTool('cancel_order', 'Cancels an order that was not sent.'),
        ],
      },
    ]);

  it('puts it first for the same query, whatever words other tools have, without doubt', () => {
    const index = makeShop();
    const query = 'find the keyword that products of an order have';
    expect(first(index, query)).toBe('find_products');
    index.learn(query, 'track_parcel');
    const { hits, certainty } = index.rank(query);
    expect(hits[0]?.name).toBe('track_parcel');
    expect(certainty).toBe(1);
    expect(first(index, 'find products by keyword')).toBe('find_products');
  });

  it('hides no tool whose words nearly all others learned', () => {
    const others = Array.from({ length: 50 }, (_, n) => fakeTool(`step_${n}`, `Step ${n}`));
    const index = ToolIndex.from([
      { name: 'x', tools: [...others, fakeTool('send_mail', 'Sends an email to a person')] },
    ]);
    for (let n = 0; n < 50; n++) index.learn(`send a mail of step ${n}`, `step_${n}`);
    expect(first(index, 'send an email')).toBe('send_mail');
    expect(first(index, 'send a mail of step 7')).toBe('step_7');
  });

  it('does not attract queries for other tools by words that people use for all of them', () => {
    const index = makeShop();
    for (const thing of ['shoes', 'lamps', 'cheap chairs', 'a blue tent', 'gifts'])
      index.learn(`somebody please quickly show our best ${thing}`, 'find_products');
    expect(first(index, 'somebody please quickly cancel it')).toBe('cancel_order');
    expect(first(index, 'quickly look where our best parcel went')).toBe('track_parcel');
    expect(first(index, 'our best tent')).toBe('find_products');
  });

  it('leaves no trace when it is forgotten', () => {
    const [index, untaught] = [makeShop(), makeShop()];
    const queries = ['where is my parcel', 'show me unpaid bills', 'which orders wait'];
    for (const [place, name] of index.names().entries()) {
      for (const query of queries) index.learn(`${query} ${place}`, name);
      index.rank('warm up');
    }
    index.forget();
    for (const query of [...queries, 'cancel my order']) expect(index.rank(query)).toEqual(untaught.rank(query));
  });
});
