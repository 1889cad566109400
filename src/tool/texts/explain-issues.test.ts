import { expect, it } from 'vitest';
import type { ToolExample } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';
import { defineTool } from '../define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';

const names = Array.from({ length: 60 }, (_, index) => `option_${index}`);
const toWide = (examples: ToolExample[] = []): Tool =>
  defineTool({
    name: 'log',
    examples,
    description: 'Show commits',
    schema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(names.map((name) => [name, { type: 'boolean' }])),
        max_count: { type: 'integer', description: '(-n) How many' },
        message: { type: 'string', description: '(-m, -M) What to say' },
        mode: { type: 'string', description: '(-m) How to say it' },
        subresource: { type: 'string' },
        type: { type: 'string' },
      },
      required: ['type'],
      additionalProperties: false,
    },
    execute: () => 'done',
  });

async function answer(args: unknown): Promise<string> {
  const registry = new ToolRegistry();
  registry.register(toWide());
  return (await registry.call('log', args)).text;
}

it('says which argument a short flag is', async () => {
  expect(await answer({ type: 'x', n: 2 })).toContain('- n: is not a known argument: -n is "max_count".\n');
  expect(await answer({ type: 'x', '-m': 'hi' })).toContain(
    '- -m: is not a known argument: -m is "message" or "mode".\n',
  );
  expect(await answer({ type: 'x', 'max-count': 2 })).toContain(
    '- max-count: is not a known argument. Did you mean "max_count"?\n',
  );
  for (const key of ['no_option_1', '--no-option-1']) {
    expect(await answer({ type: 'x', [key]: true })).toContain(
      `- ${key}: is not a known argument. Send "option_1": false for that.\n`,
    );
  }
});

it('matches an unknown name to the one missing argument', async () => {
  expect(await answer({ resource: 'pods' })).toContain('- resource: is not a known argument. Did you mean "type"?');
});

it('lists required arguments first, and few optional ones', async () => {
  const text = await answer({ unheard: 1, of: 2 });
  expect(text).toContain(
    'It takes: type (string), option_0 (boolean, optional), option_1 (boolean, optional), max_count (integer, optional), message',
  );
  expect(text).not.toContain('Known:');
  expect(text.length).toBeLessThan(800);
});

it('lists arguments of examples and those similar to tried names first', async () => {
  const registry = new ToolRegistry();
  registry.register(toWide([{ description: 'x', input: { type: 'x', option_40: true } }]));
  const { text } = await registry.call('log', { type: 'x', subresources: 1, of: 2 });
  expect(text).toContain(
    'It takes: type (string), subresource (string, optional), option_40 (boolean, optional), option_0',
  );
});
