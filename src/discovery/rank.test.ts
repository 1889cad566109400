import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { fakeTool, makeConfigs } from './boards.test-helper.ts';
import type { RankedResult } from './rank-tools.ts';
import { ToolIndex } from './tool-index.ts';

const namesOf = ({ hits }: RankedResult): string[] => hits.map(({ name }) => name);

const tools = [
  fakeTool('get_current_weather', 'Tells the current weather of a city. Uses public stations.'),
  fakeTool('convert_currency', 'Converts an amount from one currency to another.', {
    category: 'finance',
    examples: [{ description: 'How many euros are 20 dollars?', input: {} }],
  }),
  fakeTool('sendEmailMessage', 'Sends a message to an address.', { tags: ['mailbox'] }),
  fakeTool('book_flight', 'Books a flight between two airports.', {
    schema: {
      type: 'object',
      properties: {
        departureAirport: { type: 'string', description: 'Where the journey begins, as an IATA code' },
        cabin: { type: 'string', enum: ['economy', 'business'] },
      },
    },
  }),
  fakeTool('listcountriesbycontinent', 'Gives the countries of a continent.'),
  fakeTool('resize_image', 'Makes a picture smaller or larger.', { usageNotes: 'Keeps transparency.' }),
  fakeTool('s3_upload', 'Stores an object in a bucket.', { source: 'aws', risk: 'write' }),
  fakeTool('delete_branch', 'Removes a branch from the repository.', { risk: 'destructive', category: 'vcs' }),
  fakeTool('bing_search_zh', '使用必应搜索指定的关键词，并返回搜索结果列表'),
  fakeTool('forecast_ru', 'Показывает прогноз погоды в городе'),
  fakeTool('cafe_finder', 'Trouve un café près de vous'),
  fakeTool('play_song', 'Plays a song.', { utterances: ['put on something to dance to'] }),
];
const index = ToolIndex.from(new ToolRegistry().registerMany(tools));

describe('rank', () => {
  it.each([
    ['what is the weather like in Paris?', 'get_current_weather'],
    ['converting currencies', 'convert_currency'],
    ['dollars in euros', 'convert_currency'],
    ['email', 'sendEmailMessage'],
    ['mailboxes', 'sendEmailMessage'],
    ['from which departure airport', 'book_flight'],
    ['journeys', 'book_flight'],
    ['economy', 'book_flight'],
    ['countries', 'listcountriesbycontinent'],
    ['transparency', 'resize_image'],
    ['S3', 's3_upload'],
    ['aws', 's3_upload'],
    ['put on something to dance to', 'play_song'],
    ['搜索结果', 'bing_search_zh'],
    ['ПРОГНОЗ погоды', 'forecast_ru'],
    ['trouve un cafe', 'cafe_finder'],
  ])('finds for "%s" first %s', (query, name) => {
    expect(namesOf(index.rank(query))[0]).toBe(name);
    expect(index.search({ query, rank: true })[0]?.name).toBe(name);
  });

  it.each([
    ['curency', 'convert_currency'],
    ['wheather', 'get_current_weather'],
    ['flihgt', 'book_flight'],
    ['repositroy', 'delete_branch'],
  ])('reads "%s" as the word that was meant', (query, name) => {
    expect(namesOf(index.rank(query))[0]).toBe(name);
  });

  it.each([
    ['how much is 20 bucks in yen?', 'convert_currency'],
    ['will it rain tomorrow?', 'get_current_weather'],
    ['I want to travel by plane', 'book_flight'],
    ['listen to music', 'play_song'],
    ['shrink my photo', 'resize_image'],
  ])('finds for "%s" what means the same in other words: %s', (query, name) => {
    expect(namesOf(index.rank(query))[0]).toBe(name);
  });

  it('gets ready in the background, and again after a change', async () => {
    const registry = new ToolRegistry().registerMany(tools);
    const board = ToolIndex.from(registry);
    expect(board.pending).toBe(tools.length);
    await vi.waitUntil(() => board.pending === 0);
    registry.register(fakeTool('water_plants', 'Waters the plants'));
    expect(board.pending).toBe(1);
    await vi.waitUntil(() => board.pending === 0);
    expect(namesOf(board.rank('water the plants'))[0]).toBe('water_plants');
    board.close();
  });

  it('is ready when prepare resolves', async () => {
    const board = ToolIndex.from(new ToolRegistry().registerMany(tools));
    await board.prepare();
    expect(board.pending).toBe(0);
    board.close();
  });

  it('does not correct words of the board', () => {
    const board = ToolIndex.from([
      { name: 'x', tools: [fakeTool('a', 'Sorts a list'), fakeTool('b', 'Asks for a lisp')] },
    ]);
    expect(namesOf(board.rank('lisp'))).toEqual(['b']);
  });

  it.each(['book_flight', 'BOOK_FLIGHT', 'book flight', 'call book_flight for me'])(
    'puts the tool first that "%s" names',
    (query) => {
      const others = Array.from({ length: 20 }, (_, n) =>
        fakeTool(`flight_book_${n}`, 'Book a flight book flight call me'),
      );
      const board = ToolIndex.from([{ name: 'x', tools: [...others, ...tools] }]);
      const [first] = board.rank(query).hits;
      expect(first).toMatchObject({ name: 'book_flight', score: 1 });
    },
  );

  it('ranks the tool first whose author wrote the query as an utterance', () => {
    const commits = [
      fakeTool('show_commit', 'Shows one commit'),
      fakeTool('commits_show_all', 'Shows commits'),
      fakeTool('git_log', 'Prints the history of a branch', { utterances: ['what was done lately', 'show commits'] }),
    ];
    const board = ToolIndex.from([{ name: 'git', tools: commits }]);
    expect(namesOf(board.rank('show commits'))[0]).toBe('git_log');
    expect(namesOf(board.rank('show me one commit'))[0]).toBe('show_commit');
  });

  it("finds an utterance with other words than the board's", () => {
    const told = fakeTool('begin_session', 'Opens the door', { utterances: ['log in', 'set up the printer'] });
    const board = ToolIndex.from([
      { name: 'x', tools: [fakeTool('login_page', 'Login'), fakeTool('setup', 'Setup'), told] },
    ]);
    expect(namesOf(board.rank('log in'))).toEqual(['begin_session', 'login_page']);
    expect(namesOf(board.rank('set up the printer'))[0]).toBe('begin_session');
    expect(namesOf(board.rank('log in', { only: ({ metadata }) => metadata.name !== 'begin_session' }))).toEqual([
      'login_page',
    ]);
  });

  it('gives a source one place for an utterance on all its tools, and none for a similar one', () => {
    const claims = ['print a document', 'send the letter'];
    const greedy = Array.from({ length: 12 }, (_, n) =>
      fakeTool(`endpoint_${n}`, `Endpoint ${n}`, { utterances: claims }),
    );
    const honest = [fakeTool('print_page', 'Print a document'), fakeTool('post_letter', 'Send a letter to a person')];
    const board = ToolIndex.from([
      { name: 'greedy', tools: greedy },
      { name: 'honest', tools: honest },
    ]);
    expect(namesOf(board.rank('print a document')).indexOf('print_page')).toBe(1);
    expect(namesOf(board.rank('send the letter to a person'))[0]).toBe('post_letter');
    // Learned queries come before utterances.
    board.learn('print a document', 'print_page');
    expect(namesOf(board.rank('print a document'))[0]).toBe('print_page');
  });

  it('prefers rare words to short names on a large board', () => {
    const nouns = ['branch', 'label', 'folder', 'ticket', 'invoice', 'change', 'repository', 'current', 'page', 'user'];
    const crowd = Array.from({ length: 8_000 }, (_, n) =>
      fakeTool(`list_${nouns[n % 10] ?? ''}_${n}`, `Lists the ${nouns[(n * 7 + (n % 3)) % 10] ?? ''} of a team`),
    );
    const wanted = fakeTool('p4_bridge', 'Imports from Perforce and submits to it');
    const short = fakeTool('current_change', 'Tells the state of a team');
    const board = ToolIndex.from([{ name: 'x', tools: [...crowd, wanted, short] }]);
    expect(namesOf(board.rank('bring the current change from Perforce into the repository'))[0]).toBe('p4_bridge');
  });

  it('covers each need of a query with several among the first ten', () => {
    const crowd = Array.from({ length: 15 }, (_, n) => fakeTool(`weather_${n}`, 'Tells the current weather of a city'));
    const board = ToolIndex.from([{ name: 'x', tools: [...crowd, ...tools] }]);
    const query = 'Tell the current weather of the city, then book a flight. Finally send an email message';
    const names = namesOf(board.rank(query));
    expect(names).toHaveLength(10);
    expect(names).toEqual(expect.arrayContaining(['book_flight', 'sendEmailMessage']));
  });

  it('returns descending scores between 0 and 1', () => {
    const scores = index.rank('book a flight and convert the currency', { limit: 100 }).hits.map(({ score }) => score);
    expect(scores.length).toBeGreaterThan(1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    expect(Math.min(...scores)).toBeGreaterThan(0);
  });

  it('scores a tool that has every word higher than one that has few of them', () => {
    const [whole] = index.rank('convert currency').hits;
    const [part] = index.rank('convert gothic handwriting of medieval monks').hits;
    expect(whole?.score).toBeGreaterThan(0.8);
    expect(part?.score ?? 0).toBeLessThan(0.4);
  });

  it('reports that nothing fits, with the closest groups', () => {
    const board = ToolIndex.from(makeConfigs());
    expect(board.rank('nuclear physics')).toEqual({
      hits: [],
      note: 'No tool fits this query. Closest categories: vcs, containers. Closest sources: git-tools, docker-tools, notes. Say what the tool should do in other words.',
      closest: { categories: ['vcs', 'containers'], sources: ['git-tools', 'docker-tools', 'notes'] },
    });
  });

  it('folds nearly equal tools of different sources, with a note', () => {
    const description = 'Creates a new page in the team wiki with a title and a text';
    const twins = ToolIndex.from([
      {
        name: 'alpha',
        tools: [fakeTool('alpha_create_page', description), fakeTool('alpha_drop_page', 'Deletes a page')],
      },
      { name: 'beta', tools: [fakeTool('beta_create_page', `${description}.`)] },
    ]);
    const result = twins.rank('create a wiki page');
    expect(result.hits.map(({ name, duplicates }) => [name, duplicates])).toEqual([
      ['alpha_create_page', ['beta_create_page']],
      ['alpha_drop_page', undefined],
    ]);
    expect(result.note).toBe('One equivalent tool of another source is listed under duplicates.');
    expect(namesOf(twins.rank('create a wiki page', { cli: 'beta' }))).toEqual(['beta_create_page']);
  });

  it('explains which words it found in which fields', () => {
    const [hit] = index.rank('flights from aiport journey', { explain: true }).hits;
    expect(hit).toMatchObject({ name: 'book_flight' });
    expect(hit?.matches).toEqual(
      expect.arrayContaining([
        { word: 'flights', fields: ['name', 'description'] },
        { word: 'aiport', as: 'airports', fields: ['description', 'parameters'] },
        { word: 'journey', fields: ['parameterDescriptions'] },
      ]),
    );
    expect(index.rank('flights').hits[0]).not.toHaveProperty('matches');
  });

  it('keeps filters while it ranks', () => {
    expect(namesOf(index.rank('branch', { risk: 'destructive' }))).toEqual(['delete_branch']);
    expect(namesOf(index.rank('branch', { risk: 'read' }))).toEqual([]);
    expect(namesOf(index.rank('currency', { category: 'FINANCE' }))).toEqual(['convert_currency']);
    expect(namesOf(index.rank('delete_branch', { category: 'finance' }))).toEqual([]);
  });

  it('returns pages that do not overlap', () => {
    const query = 'weather, currency, flight, branch';
    const all = namesOf(index.rank(query, { limit: 100 }));
    const first = namesOf(index.rank(query, { limit: 2 }));
    const second = namesOf(index.rank(query, { limit: 2, offset: 2 }));
    expect(all.length).toBeGreaterThan(3);
    expect([...first, ...second]).toEqual(all.slice(0, 4));
  });

  it('finds nothing by stop words alone, and tools by words such as show', () => {
    const board = ToolIndex.from([
      { name: 'one', tools: [fakeTool('disk', 'Show the things of a disk'), fakeTool('andes', 'Climb the Andes')] },
    ]);
    expect(namesOf(board.rank('the of and'))).toEqual([]);
    expect(namesOf(board.rank('show me'))).toEqual(['disk']);
  });

  it('leaves out tools that barely match the query', () => {
    const board = ToolIndex.from([
      { name: 'one', tools: [fakeTool('create_user', 'Create a user account'), fakeTool('send_mail', 'Send a mail')] },
    ]);
    expect(namesOf(board.rank('delete'))).toEqual([]);
    expect(namesOf(board.rank('message to somebody'))).toEqual(['send_mail']);
  });

  it('browses for an empty query', () => {
    expect(namesOf(index.rank('', { limit: 2 }))).toEqual(['get_current_weather', 'convert_currency']);
    expect(index.search({ query: ' \n\t', rank: true, limit: 2 })).toHaveLength(2);
  });

  it.each(['a', '\u0000\u0007', '🙂', 'the of and', '???', '"'.repeat(50), '\ud800', "'", '1'])(
    'stands the query %j',
    (query) => {
      expect(() => index.rank(query, { explain: true })).not.toThrow();
    },
  );

  it('answers a query of 100 KB', () => {
    const long = 'convert the currency, then book a flight. '.repeat(2_500);
    expect(namesOf(index.rank(long)).slice(0, 2).toSorted()).toEqual(['book_flight', 'convert_currency']);
  });

  it('never throws, and returns the same twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(30), fc.nat(30), (query, limit, offset) => {
        const once = index.rank(query, { limit, offset, explain: true });
        expect(index.rank(query, { limit, offset, explain: true })).toEqual(once);
        expect(once.hits.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 300 },
    );
  });

  it('indexes tools with any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), { minLength: 1, maxLength: 8 }),
        (texts) => {
          const board = ToolIndex.from([
            { name: 'odd', tools: texts.map((text, n) => fakeTool(`t${n}`, `${text}.`, { tags: [`${text}x`] })) },
          ]);
          for (const text of texts) board.rank(text, { explain: true });
          expect(board.rank('t0').hits[0]?.name).toBe('t0');
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('phrases of people for commands', () => {
  const commands = ToolIndex.from(
    new ToolRegistry().registerMany([
      fakeTool('push', 'Updates remote refs along with associated objects.'),
      fakeTool('stats', 'Displays a live stream of resource statistics.'),
      fakeTool('prune', 'Deletes unreferenced images.'),
      fakeTool('enable', 'Links units.'),
      fakeTool('rollout_undo', 'Goes to an earlier revision.'),
      fakeTool('reboot', 'Starts the system again.'),
      fakeTool('list_units', 'Lists units.'),
    ]),
  );

  it.each([
    ['upload my work', 'push'],
    ['how much memory is used', 'stats'],
    ['free up some disk space', 'prune'],
    ['start it at boot', 'enable'],
    ['roll back', 'rollout_undo'],
    ['restart my computer', 'reboot'],
  ])('finds the tool for %s', (query, name) => {
    expect(namesOf(commands.rank(query))[0]).toBe(name);
  });
});
