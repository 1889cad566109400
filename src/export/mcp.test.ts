import { describe, expect, test } from 'vitest';
import { toMcpTools } from './mcp.ts';
import { toolWith } from './schema-arbitrary.test-helper.ts';

describe('toMcpTools', () => {
  test('writes title, annotations and output schema, and keeps schemas as they are', () => {
    const inputSchema = {
      $schema: 'x',
      type: 'object',
      properties: { 'a b': { type: 'string', 'x-y': 1 } },
      anyOf: [{ required: ['a b'] }],
    };
    const tool = {
      metadata: { name: 'fs.read', displayName: 'Read a file', description: 'Reads.', risk: 'read' as const },
      inputSchema,
      outputSchema: { type: 'object', properties: {} },
    };
    expect(toMcpTools([tool]).tools).toEqual([
      {
        name: 'fs.read',
        title: 'Read a file',
        description: 'Reads.',
        inputSchema,
        outputSchema: { type: 'object', properties: {} },
        annotations: { readOnlyHint: true },
      },
    ]);
  });

  test('derives annotations from the risk', () => {
    const risks = [undefined, 'read', 'write', 'destructive'] as const;
    const inputSchema = { type: 'object' };
    const metadata = { name: 't', description: 'x' };
    const tools = risks.map((risk) =>
      toMcpTools([{ metadata: risk ? Object.assign({ risk }, metadata) : metadata, inputSchema }]),
    );
    expect(tools.map((exported) => exported.tools[0]?.annotations)).toEqual([
      undefined,
      { readOnlyHint: true },
      { readOnlyHint: false, destructiveHint: false },
      { destructiveHint: true },
    ]);
  });

  test('gives every input schema an object on top', () => {
    const object = { type: 'object', properties: { a: { type: 'string' } } };
    const schemas = [{}, { properties: { a: {} } }, { anyOf: [object] }, { $ref: '#/$defs/o', $defs: { o: object } }];
    expect(
      toMcpTools(schemas.map((schema, index) => toolWith(schema, `t${index}`))).tools.map((tool) => tool.inputSchema),
    ).toEqual([
      { type: 'object' },
      { type: 'object', properties: { a: {} } },
      { type: 'object', anyOf: [object] },
      { ...object, $defs: { o: object } },
    ]);
  });

  test('omits an output schema that is not an object, or cannot be read', () => {
    const unreadable = {
      ...toolWith({ type: 'object' }, 'b'),
      get outputSchema(): never {
        throw new Error('no');
      },
    };
    const { tools, report } = toMcpTools([
      { ...toolWith({ type: 'object' }, 'a'), outputSchema: { type: 'string' } },
      unreadable,
    ]);
    expect(tools.map((tool) => tool.outputSchema)).toEqual([undefined, undefined]);
    expect(String(report).split('\n')).toEqual([
      'a › outputSchema › output object › dropped: MCP results are objects; the tool is listed without it. Describe the result as an object.',
      'b › outputSchema › output object › dropped: It could not be read; the tool is listed without it. Describe the result as an object.',
    ]);
  });
});
