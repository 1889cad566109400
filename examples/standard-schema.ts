// The same tool input in three languages: valibot, arktype and plain JSON Schema.
// Each is validated by its own library, typed where the library has types, and shown to models as JSON Schema.
import assert from 'node:assert/strict';
import { type } from 'arktype';
import * as v from 'valibot';
import { defineTool, ToolRegistry } from '../src/index.ts';

const initials = (name: string, upper: boolean): string => {
  const letters = name.split(' ').map((word) => word.charAt(0));
  return (upper ? letters.map((letter) => letter.toUpperCase()) : letters).join('');
};

const withValibot = defineTool({
  name: 'initials_valibot',
  description: 'The initials of a name.',
  schema: v.object({ name: v.pipe(v.string(), v.minLength(2)), upper: v.optional(v.boolean(), true) }),
  execute: ({ name, upper }) => initials(name, upper),
});

const withArktype = defineTool({
  name: 'initials_arktype',
  description: 'The initials of a name.',
  schema: type({ name: 'string >= 2', upper: 'boolean = true' }),
  execute: ({ name, upper }) => initials(name, upper),
});

const withJsonSchema = defineTool({
  name: 'initials_json_schema',
  description: 'The initials of a name.',
  schema: {
    type: 'object',
    properties: { name: { type: 'string', minLength: 2 }, upper: { type: 'boolean', default: true } },
    required: ['name'],
  },
  // JSON Schema says nothing to the compiler, so the code names its own types.
  execute: ({ name, upper }: { name: string; upper: boolean }) => initials(name, upper),
});

const board = new ToolRegistry().registerMany([withValibot, withArktype, withJsonSchema]);

for (const { name, parameters } of board.list()) {
  const good = await board.call(name, { name: 'ada lovelace' });
  const bad = await board.call(name, { name: 'x' });
  console.log(`${name} → ${good.text}`);
  console.log(`  a wrong call: ${bad.error?.field} ${bad.error?.reason}`);
  console.log(`  as JSON Schema: ${JSON.stringify(parameters)}\n`);

  assert.equal(good.text, 'AL');
  assert.equal(bad.error?.code, 'invalid_arguments');
  assert.equal(bad.error?.field, 'name');
  assert.deepEqual(parameters['required'], ['name']);
}
