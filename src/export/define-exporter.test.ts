import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { nodeMap } from '../tool/parameters/schema-node.ts';
import { exporterContract } from '../testing/contracts/exporter-contract.ts';
import { testContract } from '../testing/contracts/test-contract.test-helper.ts';
import { defineExporter, openAI, resultText, Unportable } from '../export.ts';
import { toAnthropicTools } from './anthropic.ts';
import type { ExportableTool } from './exporter.ts';
import { toGeminiTools } from './gemini.ts';
import { toMcpTools } from './mcp.ts';
import { toOpenAITools } from './openai.ts';
import { anyTool, toolWith } from './schema-arbitrary.test-helper.ts';

const EXPORTERS = {
  OpenAI: (tools: ExportableTool[]) => toOpenAITools(tools),
  'OpenAI strict': (tools: ExportableTool[]) => toOpenAITools(tools, { strict: true }),
  Anthropic: (tools: ExportableTool[]) => toAnthropicTools(tools),
  Gemini: (tools: ExportableTool[]) => toGeminiTools(tools),
  MCP: (tools: ExportableTool[]) => toMcpTools(tools),
};

describe.each(Object.entries(EXPORTERS))('%s', (_, exporter) => {
  test('quarantines a tool with an unreadable schema, with the reason, and exports the rest', () => {
    const broken = {
      metadata: { name: 'broken', description: 'x' },
      get inputSchema(): JsonSchema {
        throw new Error('Dates cannot be said in JSON Schema. Use a string.');
      },
    };
    const { tools, report } = exporter([
      broken,
      toolWith({ type: 'object', properties: { a: { type: 'string' } } }, 'fine'),
    ]);
    expect(tools).toHaveLength(1);
    expect(report.quarantined).toEqual(['broken']);
    expect(String(report)).toBe(
      'broken › (arguments) › readable schema › quarantined: Dates cannot be said in JSON Schema. Use a string.',
    );
  });

  test('quarantines arguments that are not an object', () => {
    expect(String(exporter([toolWith({ type: 'string' })]).report)).toBe(
      'tool › (arguments) › top level object › quarantined: The arguments are described as string. Wrap them in an object with one property.',
    );
  });

  test('quarantines the second of two tools with one name', () => {
    const { tools, report } = exporter([toolWith({ type: 'object' }, 'same'), toolWith({ type: 'object' }, 'same')]);
    expect(tools).toHaveLength(1);
    expect(String(report)).toBe(
      'same › name › unique name › quarantined: Another tool in the list has this name. Rename one of them.',
    );
  });

  test('quarantines schemas that are circular, too deep or too big, without hanging', () => {
    const circular: Record<string, unknown> = { type: 'object' };
    circular['properties'] = { me: circular };
    let deep: JsonSchema = { type: 'string' };
    for (let level = 0; level < 20_000; level += 1) deep = { type: 'object', properties: { a: deep } };
    const keys = Array.from({ length: 10_000 }, (__, index) => [`key_${index}`, { type: 'string' }]);
    const wide = { type: 'object', properties: Object.fromEntries(keys) };
    const choices = {
      type: 'object',
      properties: { a: { anyOf: Array.from({ length: 501 }, () => ({ type: 'string' })) } },
    };
    const all = [
      toolWith(circular, 'circular'),
      toolWith(deep, 'deep'),
      toolWith(wide, 'wide'),
      toolWith(choices, 'choices'),
    ];
    const { tools, report } = exporter(all);
    expect(tools).toEqual([]);
    expect(String(report).split('\n')).toEqual([
      'circular › (arguments) › circular schema › quarantined: The schema contains itself as a JavaScript object. Use $defs and $ref.',
      'deep › (arguments) › schema depth › quarantined: The schema is nested more than 64 levels deep. Flatten it.',
      'wide › (arguments) › schema size › quarantined: The schema has more than 20,000 parts. Split the tool.',
      'choices › (arguments) › schema size › quarantined: "anyOf" has 501 parts; at most 500 are handled. Use fewer alternatives.',
    ]);
  });

  test('survives definitions that double at every step', () => {
    const $defs: Record<string, unknown> = { d60: { type: 'string' } };
    for (let step = 0; step < 60; step += 1) {
      const next = { $ref: `#/$defs/d${step + 1}` };
      $defs[`d${step}`] = { anyOf: [next, { ...next, title: 'again' }] };
    }
    const before = process.cpuUsage();
    const exported = exporter([toolWith({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs })]);
    exported.restore('tool', { a: 5 });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
  });

  test('exports a registry as well as a list, and leaves unknown names alone', () => {
    const registry = { getAll: () => [toolWith({ type: 'object' }, 'one')] };
    expect(exporter([...registry.getAll()]).tools).toEqual(exporter(registry.getAll()).tools);
    expect(toOpenAITools(registry).tools).toHaveLength(1);
    expect(exporter([]).restore('who', { a: 1 })).toEqual({ name: 'who', input: { a: 1 } });
  });

  test('restores anything a model sends without throwing', () => {
    fc.assert(
      fc.property(anyTool, fc.anything(), fc.dictionary(fc.string(), fc.anything()), (tool, junk, args) => {
        const exported = exporter([tool]);
        for (const input of [junk, args, { a: junk, b: args, city: [junk] }]) {
          expect(exported.restore('tool', input).name).toBe('tool');
        }
      }),
    );
  });

  test('never changes the schema of the tool', () => {
    const schema = {
      $schema: 'x',
      definitions: { n: { type: 'string' } },
      type: 'object',
      properties: { 'a b': { $ref: '#/definitions/n', 'x-y': 1 } },
    };
    const before = structuredClone(schema);
    exporter([toolWith(schema)]);
    expect(schema).toEqual(before);
  });
});

describe('an exporter of a third party', () => {
  const acme = defineExporter({
    format: 'acme',
    provider: 'Acme',
    names: { character: /[a-z_]/, maxLength: 24 },
    maxDescription: 200,
    schema: {
      accepts: 'subset',
      keywords: ['minimum', 'maximum'],
      unions: false,
      keys: { character: /[a-z]/, maxLength: 16 },
      limits: { properties: 20, levels: 3 },
    },
    writeTool: ({ tool, name, description, schema }) => {
      if (tool.metadata.risk === 'destructive') {
        throw new Unportable('risk', 'read only', 'Acme takes no tool that destroys. Export it without.');
      }
      return { name, about: description, input: schema };
    },
    findCalls: (response) =>
      isPlainObject(response) && Array.isArray(response['actions'])
        ? response['actions'].map(({ key: id, name, input: args }) => ({ id, name, args }))
        : [],
    writeResults: (answers) => ({ done: answers.map(({ id, result }) => ({ key: id, said: resultText(result) })) }),
  });

  testContract(
    exporterContract({
      exporter: acme,
      readTool: ({ name, about, input }) => ({ name, description: about, schema: input }),
      writeCalls: (calls) => ({ actions: calls.map(({ id, name, args }) => ({ key: id, name, input: args })) }),
      names: /^[a-z_]{1,24}$/,
      judge: ({ schema }) => (JSON.stringify(schema).includes('"anyOf"') ? ['has alternatives'] : []),
    }),
  );

  test('sends alternatives, tuples and mixed lists as JSON text if the provider accepts no alternatives', () => {
    const exported = acme.export([
      toolWith({
        type: 'object',
        properties: {
          value: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'integer' } } }] },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
          mixed: { enum: [1, 'one', null] },
          either: { type: ['string', 'null'] },
          tree: { $ref: '#/$defs/tree' },
        },
        $defs: {
          tree: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/tree' }, { type: 'null' }] } } },
        },
      }),
    ]);
    const [tool] = exported.tools;
    const types = Object.entries(nodeMap(tool?.input['properties'])).map(([key, { type }]) => [key, type]);
    expect(Object.fromEntries(types)).toEqual({
      value: 'string',
      pair: 'string',
      mixed: ['string', 'null'],
      either: ['string', 'null'],
      tree: 'object',
    });
    const input = { value: '{"id":7}', pair: '["a",1]', mixed: '1', tree: { next: '{"next":null}' } };
    expect(exported.restore('tool', input).input).toEqual({
      value: { id: 7 },
      pair: ['a', 1],
      mixed: 1,
      tree: { next: { next: null } },
    });
    expect(exported.report.quarantined).toEqual([]);
  });

  test('quarantines tools over a limit or rejected by the exporter, and reports it', () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, { type: 'string' }]));
    const { tools, report } = acme.export([
      toolWith({ type: 'object', properties: many }, 'many'),
      { ...toolWith({ type: 'object' }, 'drop'), metadata: { name: 'drop', description: 'x', risk: 'destructive' } },
    ]);
    expect(tools).toEqual([]);
    expect(String(report).split('\n')).toEqual([
      'many › (arguments) › properties › quarantined: 21 properties; Acme takes 20. Split the tool.',
      'drop › risk › read only › quarantined: Acme takes no tool that destroys. Export it without.',
    ]);
  });

  test('extends a built-in exporter', () => {
    const other = defineExporter({ ...openAI, format: 'other', provider: 'Other', maxDescription: 8 });
    const { tools, report } = other.export([toolWith({ type: 'object' })]);
    expect(tools).toHaveLength(1);
    expect(String(report)).toMatch(/Shortened from/);
    expect(other.parseCalls([{ id: 'a', function: { name: 'tool', arguments: '{}' } }])).toEqual([
      { id: 'a', name: 'tool', input: {} },
    ]);
  });
});
