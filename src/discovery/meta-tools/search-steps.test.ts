import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../tool/tool-result.ts';
import { fakeTool } from '../boards.test-helper.ts';
import { ToolIndex } from '../tool-index.ts';
import { makeBoard } from './meta-tools.test-helper.ts';

interface Group {
  readonly query: string;
  readonly tools: readonly { readonly name: string; readonly serves: string }[];
}

const topics = ['flight', 'hotel', 'invoice', 'recipe', 'song', 'photo', 'ticket', 'letter', 'garden', 'lesson'];
const more = topics.flatMap((topic) =>
  ['find', 'book', 'delete', 'rate', 'share', 'print', 'archive'].map((verb) =>
    fakeTool(`${verb}_${topic}`, `Lets you ${verb} one ${topic} of the user.`, { source: topic }),
  ),
);
const { registry } = makeBoard({}, more);
const search = (input: Record<string, unknown>): Promise<ToolResult> => registry.call('search_tools', input);
// `search_tools` writes this shape for several queries.
const groupsOf = ({ data }: ToolResult): readonly Group[] => (data as { groups: readonly Group[] }).groups;

describe('search_tools with several queries', () => {
  it('names the query that each hit serves, and shows nothing twice', async () => {
    const result = await search({ queries: ['book a flight', 'print an invoice', 'book a hotel'] });
    expect(groupsOf(result).map(({ tools }) => [tools[0]?.name, tools[0]?.serves])).toEqual([
      ['book_flight', 'book a flight'],
      ['print_invoice', 'print an invoice'],
      ['book_hotel', 'book a hotel'],
    ]);
    const names = groupsOf(result).flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
  });

  it('limits the total: ten queries show about as many tools as four', async () => {
    const countOf = async (count: number): Promise<number> =>
      groupsOf(await search({ queries: topics.slice(0, count).map((topic) => `find a ${topic}`) })).reduce(
        (sum, { tools }) => sum + tools.length,
        0,
      );
    expect(await countOf(4)).toBe(20);
    expect(await countOf(10)).toBe(20);
  });

  it('suggests one query for each step of a long query, with its steps as the example', async () => {
    const steps = 'Please book a flight, then print the invoice of it. Finally, share the photo with my team.';
    const { text, data } = await search({ query: `My boss is on leave again. ${steps} Thanks, that was all.` });
    expect(text).toContain('This asks for 3 things: use queries to find more, such as ["Please book a flight"');
    expect(text).not.toContain('boss');
    expect(data).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: 'print_invoice' })]) });
    const four = 'Find a recipe. Then print one letter. Then archive one ticket. Then share a photo.';
    expect((await search({ query: four })).text).toContain('"share a photo"]');
    expect((await search({ query: 'book a flight' })).text).not.toContain('queries finds more');
    expect((await search({ queries: [steps, 'find a song'] })).text).not.toContain('queries finds more');
  });
});

describe('search_tools when the right tool is not there', () => {
  it('says that no tool clearly fits, and shows the nearest', async () => {
    const { text, data } = await search({
      query:
        'measure the chlorine concentration, acidity and bacteria count of swimming pools beside a garden with laboratory equipment',
    });
    expect(text).toContain('No tool clearly fits: these match little of the query.');
    expect(data).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ source: 'garden' })]) });
    expect((await search({ query: 'find a song' })).text).not.toContain('No tool clearly fits');
  });

  it('does not doubt a tool that the query names', async () => {
    const query = 'find_song measure the chlorine concentration of swimming pools with laboratory equipment';
    const { text } = await search({ query });
    expect(text).toMatch(/^find_song/);
    expect(text).not.toContain('No tool clearly fits');
  });
});

describe('search_tools in another language', () => {
  it('asks for a search in the language of the tools, whether something was found or not', async () => {
    const remark = (language: string): string =>
      `The tools of this board are described in English, not in ${language}: search again in English.`;
    expect((await search({ query: '帮我预订一张去上海的机票' })).text).toContain(remark('Chinese'));
    expect((await search({ query: 'Ich suche ein hotel für mich und meine Frau' })).text).toContain(remark('German'));
    expect((await search({ query: 'find the hotel for me and my family' })).text).not.toContain('search again in');
  });

  it('names the language of the tools if a few words could be of any language', async () => {
    const remark = 'described in English: if the query is in another language, search again in English.';
    for (const query of ['Datei löschen', 'Wetter morgen in Berlin', 'enviar un correo'])
      expect((await search({ query })).text).toContain(remark);
    for (const query of ['sell the moon', 'nuclear physics'])
      expect((await search({ query })).text).not.toContain(remark);
  });

  it('asks for another language than English if the tools are in one', async () => {
    const tools = [
      fakeTool('wetter', 'Zeigt das Wetter für eine Stadt.'),
      fakeTool('raum', 'Reserviert einen Raum für das Treffen.'),
    ];
    const index = ToolIndex.from([{ name: 'x', tools }]);
    expect(index.rank('tell me what the weather is').note).toContain(
      'described in German, not in English: search again in German.',
    );
  });

  it('says nothing if the board has tools in that language', async () => {
    const german = fakeTool('wetter', 'Zeigt das Wetter für eine Stadt und die Temperatur von morgen.');
    const { registry: mixed } = makeBoard({}, [german]);
    const { text } = await mixed.call('search_tools', { query: 'Wie wird das Wetter morgen in der Stadt?' });
    expect(text).toMatch(/^wetter/);
    expect(text).not.toContain('search again in');
  });
});
