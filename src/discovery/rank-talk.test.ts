import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { fakeTool } from './boards.test-helper.ts';
import { ToolIndex } from './tool-index.ts';

const tools = [
  fakeTool('get_weather', 'Tells the current weather of a city.'),
  fakeTool('convert_currency', 'Converts an amount from one currency to another.'),
  fakeTool('send_email', 'Sends a message to an address.'),
  fakeTool('book_flight', 'Books a flight between two airports.'),
  fakeTool('resize_image', 'Makes a picture smaller or larger.'),
  fakeTool('find_recipe', 'Finds recipes for dinner by ingredients such as soup, cake or bread.'),
  fakeTool('start_timer', 'Starts a timer that rings after some minutes.'),
  fakeTool('list_meetings', 'Lists the meetings of a week in the calendar of the office.'),
  fakeTool('play_song', 'Plays a song.'),
  fakeTool('open_story', 'Opens a long or short story to read.'),
];
const index = ToolIndex.from(new ToolRegistry().registerMany(tools));

const TALK = [
  'My sister came over yesterday.',
  'It has been raining here all week.',
  'We had soup for dinner and it was lovely.',
  'How are you doing today?',
  'The traffic on the way home was awful.',
  'Nobody wrote anything down in the meeting.',
  'It is a long story.',
  'I slept badly.',
  'They played that old song again.',
  'Everyone at the office is tired.',
  'Did you have a good weekend?',
  'Our manager left in March.',
  'The bread at the corner is good.',
  'I lost my umbrella on the bus.',
  'Thanks for your help last time.',
  'You would not believe how hot it was.',
  'My picture of you is a good one.',
  'There is no hurry at all.',
  'I promised not to work late.',
  'The last message was a bit long.',
];

const firstOf = (query: string): string | undefined => index.rank(query).hits[0]?.name;

describe('a request among talk', () => {
  it.each([
    ['Convert 20 euros to another currency', 'convert_currency'],
    ['Could you book a flight between Rome and Oslo?', 'book_flight'],
    ['I need this picture to be smaller', 'resize_image'],
  ])('finds the tool for %j first: talk before, after and around it', (request, name) => {
    const asked = `${request}.`;
    expect(firstOf(request)).toBe(name);
    expect(firstOf([...TALK, request].join(' '))).toBe(name);
    expect(firstOf([asked, ...TALK].join(' '))).toBe(name);
    expect(firstOf([...TALK.slice(0, 10), asked, ...TALK.slice(10)].join('\n'))).toBe(name);
  });

  it('finds a request at the end of a text of any length', () => {
    expect(firstOf(`${TALK.join(' ').repeat(200)} Convert 20 euros to another currency.`)).toBe('convert_currency');
  });

  it('keeps every need of a request with many steps', () => {
    const steps = [
      'send a message to my boss',
      'resize the picture',
      'start a timer',
      'list my meetings',
      'book a flight',
    ];
    const found = index
      .rank([...TALK.slice(0, 8), `Please ${steps.join(', then ')}.`].join(' '))
      .hits.map(({ name }) => name);
    expect(found).toEqual(
      expect.arrayContaining(['send_email', 'resize_image', 'start_timer', 'list_meetings', 'book_flight']),
    );
    expect(found.slice(0, 5)).not.toContain('find_recipe');
  });

  it('finds the topic of talk without a request', () => {
    expect(firstOf('It has been a long day. We had soup for dinner.')).toBe('find_recipe');
  });
});

describe('a source with a tool for every word', () => {
  const words = [
    'convert',
    'amount',
    'euros',
    'currency',
    'another',
    'flight',
    'book',
    'picture',
    'smaller',
    'message',
  ];
  const flood = words.map((word) => fakeTool(word, word, { source: 'flood' }));
  const flooded = ToolIndex.from(new ToolRegistry().registerMany([...tools, ...flood]));

  it('does not precede a fitting tool, nor fill the places behind it', () => {
    const { hits } = flooded.rank('Convert an amount of 20 euros to another currency');
    expect(hits[0]?.name).toBe('convert_currency');
    expect(
      flooded
        .rank('Could you book a flight for me and send a message?')
        .hits.slice(0, 2)
        .map(({ name }) => name),
    ).toEqual(expect.arrayContaining(['book_flight', 'send_email']));
  });

  it('is found by its names', () => {
    expect(flooded.rank('euros').hits[0]?.name).toBe('euros');
  });

  it.each([
    ['their name', (word: string): string => word],
    ['one sentence with it', (word: string): string => `The finest ${word} helper that was ever made by anyone`],
  ])('stands behind others when it has very many that say %s, until it has few again', (_, describeWord) => {
    const own = words.map((word) => fakeTool(word, describeWord(word), { source: 'flood' }));
    const registry = new ToolRegistry().registerMany([...tools, ...own]);
    const index = ToolIndex.from(registry);
    const query = 'Is there a picture of the office with a message about dinner?';
    const isFlood = ({ cli }: { readonly cli: string }): boolean => cli === 'flood';
    const before = index.rank(query).hits;
    const fillers = Array.from(
      { length: 60 },
      (_, number) => `word${'bcdfghjk'[number % 8]}o${'lmnprstv'[number >> 3]}`,
    );
    registry.registerMany(fillers.map((word) => fakeTool(word, describeWord(word), { source: 'flood' })));
    const { hits } = index.rank(query);
    expect(hits.length).toBeGreaterThan(5);
    expect(hits.findIndex(isFlood)).toBeGreaterThan(hits.findLastIndex((hit) => !isFlood(hit)));
    for (const word of fillers) registry.remove(word);
    expect(index.rank(query).hits).toEqual(before);
    expect(before.findIndex(isFlood)).toBeLessThan(before.findLastIndex((hit) => !isFlood(hit)));
  });
});
