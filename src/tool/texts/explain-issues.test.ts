import { expect, it } from 'vitest';
import { defineTool } from '../define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';

const names = Array.from({ length: 60 }, (_, index) => `option_${index}`);
const wide = defineTool({
  name: 'log',
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
  registry.register(wide);
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
});

it('takes a name that is not known for the one argument that is missing', async () => {
  expect(await answer({ resource: 'pods' })).toContain('- resource: is not a known argument. Did you mean "type"?');
});

it('says what must be given first, and little of what may', async () => {
  const text = await answer({ unheard: 1, of: 2 });
  expect(text).toContain('It takes: type (string), option_0 (boolean, optional)');
  expect(text).not.toContain('Known:');
  expect(text.length).toBeLessThan(800);
});
