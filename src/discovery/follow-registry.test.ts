import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { fakeTool } from './boards.test-helper.ts';
import { ToolIndex } from './tool-index.ts';

const namesOf = (entries: readonly { readonly name: string }[]): string[] => entries.map(({ name }) => name);

function open(): { registry: ToolRegistry; index: ToolIndex; ranked: (query: string) => string[] } {
  const registry = new ToolRegistry().registerMany([
    fakeTool('read_weather', 'Tells the weather'),
    fakeTool('send_mail', 'Sends an email'),
  ]);
  const index = ToolIndex.from(registry);
  return { registry, index, ranked: (query) => namesOf(index.search({ query, rank: true })) };
}

describe('an index of a registry', () => {
  it('finds a tool that was registered later', () => {
    const { registry, index, ranked } = open();
    expect(ranked('translate')).toEqual([]);
    registry.register(fakeTool('translate', 'Translates text'));
    expect(ranked('translate')).toEqual(['translate']);
    expect(namesOf(index.search({ query: 'translates' }))).toEqual(['translate']);
  });

  it('finds an updated tool by its new words only, in its old place', () => {
    const { registry, index, ranked } = open();
    expect(ranked('weather')).toEqual(['read_weather']);
    registry.update('read_weather', fakeTool('read_weather', 'Tells the tides'));
    expect(ranked('tides')).toEqual(['read_weather']);
    expect(index.search({ query: 'the weather' })).toEqual([]);
    expect(namesOf(index.search())).toEqual(['read_weather', 'send_mail']);
  });

  it('forgets a removed tool', () => {
    const { registry, index, ranked } = open();
    expect(ranked('mail')).toEqual(['send_mail']);
    registry.remove('send_mail');
    expect(ranked('mail')).toEqual([]);
    expect(index.get('send_mail')).toBeUndefined();
    expect(index.size).toBe(1);
  });

  it('forgets everything when the board is cleared, and starts again', () => {
    const { registry, index, ranked } = open();
    registry.clear();
    expect(index.search()).toEqual([]);
    expect(index.rank('weather')).toEqual({
      hits: [],
      note: 'The board has no tools.',
      closest: { categories: [], sources: [] },
    });
    registry.register(fakeTool('weather', 'Tells the weather'));
    expect(ranked('weather')).toEqual(['weather']);
  });

  it('counts the current tools', () => {
    const { registry, index } = open();
    const count = (): unknown => [index.groups().tag, index.summary().map(({ name, toolCount }) => [name, toolCount])];
    registry.register(fakeTool('tide', 'Tells the tides', { tags: ['sea', 'sky'] }));
    registry.register(fakeTool('wave', 'Tells the waves', { tags: ['sea'] }));
    expect(count()).toEqual([
      [
        ['sea', 2],
        ['sky', 1],
      ],
      [['code', 4]],
    ]);
    registry.update('tide', fakeTool('tide', 'Tells the tides', { tags: ['moon'] }));
    expect(count()).toEqual([
      [
        ['sea', 1],
        ['moon', 1],
      ],
      [['code', 4]],
    ]);
    registry.remove('wave');
    expect(count()).toEqual([[['moon', 1]], [['code', 3]]]);
    index.summary().pop();
    expect(index.summary()).toHaveLength(1);
    registry.clear();
    expect(count()).toEqual([[], []]);
  });

  it('follows the order of a reloaded board', () => {
    const { registry, index } = open();
    const kept = registry.get('send_mail') ?? fakeTool('send_mail', 'Sends');
    registry.replaceAll([fakeTool('first', 'Is new'), kept, fakeTool('read_weather', 'Tells the weather')]);
    expect(namesOf(index.search())).toEqual(['first', 'send_mail', 'read_weather']);
    expect(index.rank('').hits.map(({ name }) => name)).toEqual(['first', 'send_mail', 'read_weather']);
  });

  it('stops following when it is closed', () => {
    const { registry, index } = open();
    index.close();
    registry.clear();
    expect(index.size).toBe(2);
  });

  it('ranks after a thousand changes like a new index', () => {
    const { registry, index } = open();
    const words = ['weather', 'mail', 'invoice', 'photo', 'train', 'recipe', 'stock', 'chess'];
    index.rank('weather');
    for (let step = 0; step < 1_000; step++) {
      const name = `tool_${(step * 7) % 60}`;
      if (step % 3 === 0) registry.remove(name);
      else {
        const description = `Handles ${words[step % 8]} and ${words[(step * 3) % 8]} number ${step}`;
        registry.register(fakeTool(name, description, { source: `s${step % 4}` }), { override: true });
      }
      if (step % 50 === 0) index.rank(words[step % 8] ?? '');
    }
    const fresh = ToolIndex.from(registry);
    for (const query of [...words, 'photo of a train', 'number 999']) {
      expect(index.rank(query, { limit: 100 })).toEqual(fresh.rank(query, { limit: 100 }));
    }
    expect(index.search({ limit: 100 })).toEqual(fresh.search({ limit: 100 }));
  });

  it('prepares in turns that leave time for other work', async () => {
    const registry = new ToolRegistry();
    for (let n = 0; n < 3_000; n++) registry.register(fakeTool(`tool_${n}`, `Does the thing number ${n} with care`));
    const index = ToolIndex.from(registry);
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    await index.prepare();
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
    expect(namesOf(index.search({ query: 'thing 2999', rank: true, limit: 1 }))).toEqual(['tool_2999']);
  });
});
