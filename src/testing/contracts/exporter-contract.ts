import type { JsonSchema } from '../../tool/json.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { ExportOptions, ExportResult, Exporter } from '../../export/exporter.ts';
import { callFormatContract, type CallFormatSubject } from './call-format-contract.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { type ContractCheck, createCheck, expectSame, expectTrue } from './contract.ts';

/** A tool as the provider sees it. */
export interface ExportedTool {
  readonly name: string;
  readonly description: string | undefined;
  /** Missing if the provider expects none for a tool without arguments. */
  readonly schema: unknown;
}

/** A call as the provider makes it. */
export interface ExportedCall<T> {
  readonly exported: T;
  readonly registry: ToolRegistry;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A conversion of any form to test, such as one for a framework. */
export interface ExporterSubject<T> {
  export(registry: ToolRegistry): T | Promise<T>;
  /** Returns the converted tools, one for each tool, in order. */
  read(exported: T): readonly ExportedTool[];
  /** Makes a call as the provider would; it must run the intended tool. */
  call(call: ExportedCall<T>): Promise<unknown>;
  /** Matches the names that the provider accepts. */
  readonly names: RegExp;
  /** Checks a tool by the provider's own rules. Returns a sentence for each problem. */
  judge?(tool: ExportedTool): readonly string[];
}

/** An exporter of `defineExporter` to test. */
export interface DefinedExporterSubject<T, O extends ExportOptions> {
  readonly exporter: Exporter<T, O>;
  readonly options?: O;
  /** Reads name, description and schema of a tool of the provider. */
  readTool(tool: T): ExportedTool;
  /** Writes the provider's JSON for calls. If given, reading calls and writing results are tested too. */
  readonly writeCalls?: CallFormatSubject['write'];
  /** Matches the names that the provider accepts. */
  readonly names: RegExp;
  /** Checks a tool by the provider's own rules. Returns a sentence for each problem. */
  judge?(tool: ExportedTool): readonly string[];
}

/** Names that many providers reject, or that become equal when they are adapted. */
const NAMES = [
  'plain',
  'fs.read',
  'fs_read',
  'fs-read',
  'Fs.Read',
  '1st',
  '_',
  `long.${'x'.repeat(123)}`,
  `long_${'x'.repeat(123)}`,
];

const text = (description: string): JsonSchema => ({ type: 'string', description });

/** Schemas with a valid input each. */
const SCHEMAS: readonly (readonly [what: string, schema: JsonSchema, input: Readonly<Record<string, unknown>>])[] = [
  ['no arguments', { type: 'object', properties: {}, additionalProperties: false }, {}],
  [
    'plain values',
    {
      type: 'object',
      properties: {
        city: text('Where.'),
        days: { type: 'integer', minimum: 1, maximum: 7, description: 'How many days.' },
        exact: { type: 'boolean', default: false, description: 'Whether exactly.' },
        unit: { enum: ['metric', 'imperial'], description: 'In what.' },
      },
      required: ['city', 'days', 'exact', 'unit'],
    },
    { city: 'Zürich', days: 3, exact: true, unit: 'metric' },
  ],
  [
    'objects in lists',
    {
      type: 'object',
      properties: {
        rows: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: text('Its id.'), count: { type: 'number' } },
            required: ['id', 'count'],
          },
        },
      },
      required: ['rows'],
    },
    {
      rows: [
        { id: 'a', count: 1.5 },
        { id: 'b', count: 0 },
      ],
    },
  ],
  [
    'one of several',
    {
      type: 'object',
      properties: { value: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
      required: ['value'],
    },
    { value: 7 },
  ],
  [
    'definitions',
    {
      type: 'object',
      properties: { from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place' } },
      required: ['from', 'to'],
      $defs: { place: { type: 'object', properties: { name: text('Its name.') }, required: ['name'] } },
    },
    { from: { name: 'Bern' }, to: { name: 'Genf' } },
  ],
];

/**
 * Returns the checks that every exporter must pass, for any provider or framework.
 *
 * @example
 * import { test } from 'node:test';
 * const checks = exporterContract({
 *   exporter: anthropic,
 *   readTool: ({ name, description, input_schema: schema }) => ({ name, description, schema }),
 *   names: /^[a-zA-Z0-9_-]{1,128}$/,
 * });
 * for (const { name, check } of checks) test(name, check);
 */
export function exporterContract<T, O extends ExportOptions>(
  subject: DefinedExporterSubject<T, O> | ExporterSubject<T>,
): ContractCheck[] {
  return 'exporter' in subject ? definedContract(subject) : conversionContract(subject);
}

/** Returns the checks of `defineExporter`: tools that cannot be exported are left out, calls are parsed, results written. */
function definedContract<T, O extends ExportOptions>(subject: DefinedExporterSubject<T, O>): ContractCheck[] {
  const { exporter, options, writeCalls } = subject;
  const parse = (name: string, input: unknown, exported: ExportResult<T>): { name: string; input: unknown } =>
    writeCalls === undefined
      ? exported.restore(name, input)
      : (exporter.parseCalls(writeCalls([{ id: 'one', name, args: input }]), exported)[0] ?? { name, input });
  return [
    ...conversionContract<ExportResult<T>>({
      ...subject,
      export: (registry) => exporter.export(registry, options),
      read: ({ tools }) => tools.map((tool) => subject.readTool(tool)),
      call: async ({ exported, registry, name, input }) => {
        const call = parse(name, input, exported);
        return registry.call(call.name, call.input);
      },
    }),
    createCheck('skips a tool that cannot be exported, reports why, and exports the others', async () => {
      const circular: Record<string, unknown> = { type: 'object' };
      circular['properties'] = { inner: circular };
      const tools = ['fine', 'circular'].map((name) => ({
        metadata: { name, description: 'Does something.' },
        inputSchema: name === 'fine' ? { type: 'object' } : circular,
      }));
      const exported = exporter.export(tools, options);
      expectSame(exported.tools.length, 1, 'the good tool');
      expectSame(exported.report.quarantined, ['circular']);
      expectTrue(String(exported.report).includes('circular'), `the report names it: ${String(exported.report)}`);
    }),
    createCheck('reports every name that it changes', async () => {
      const { registry } = createRegistry(NAMES.map((name) => ({ name })));
      const { names, report } = exporter.export(registry, options);
      const renamed = report.entries.filter(({ path, action }) => path === 'name' && action === 'renamed');
      expectSame(
        renamed.map(({ tool }) => tool),
        names.entries().flatMap(([name, providerName]) => (name === providerName ? [] : [name])),
      );
    }),
    ...(writeCalls === undefined
      ? []
      : callFormatContract({
          write: writeCalls,
          parse: (response, exported) => exporter.parseCalls(response, exported),
          answer: (calls, results) => exporter.toResults(calls, results, options),
        })),
  ];
}

function conversionContract<T>(subject: ExporterSubject<T>): ContractCheck[] {
  return [
    createCheck('exports every tool once, in order, with its description', async () => {
      const { registry } = createRegistry(NAMES.map((name) => ({ name })));
      const tools = subject.read(await subject.export(registry));
      expectSame(tools.length, NAMES.length, 'one for each tool');
      for (const [index, { description }] of tools.entries()) {
        expectTrue(description?.includes(`Does what ${index} does.`) === true, `tool ${index}: ${description}`);
      }
    }),
    createCheck('accepts a registry without tools', async () => {
      expectSame(subject.read(await subject.export(new ToolRegistry())), []);
    }),
    createCheck('gives distinct names that the provider accepts, and maps calls back to their tools', async () => {
      const { registry, ran } = createRegistry(NAMES.map((name) => ({ name })));
      const exported = await subject.export(registry);
      const names = subject.read(exported).map(({ name }) => name);
      expectSame(new Set(names).size, NAMES.length, `no two alike: ${names.join(', ')}`);
      for (const name of names) {
        expectTrue(subject.names.test(name), `a name the provider takes: ${name}`);
        await subject.call({ exported, registry, name, input: { value: 'x' } });
      }
      expectSame(
        ran.map(({ name }) => name),
        NAMES,
      );
    }),
    ...SCHEMAS.map(([what, schema, input]) => ({
      name: `says ${what} so that calls arrive as they were sent`,
      async check() {
        const { registry, ran } = createRegistry([{ name: 'tool', schema }]);
        const exported = await subject.export(registry);
        const tools = subject.read(exported);
        for (const tool of tools) {
          expectTrue(tool.schema === undefined || isJson(tool.schema), 'a schema is plain JSON');
          expectSame([...(subject.judge?.(tool) ?? [])], [], "what the provider's rules say");
          await subject.call({ exported, registry, name: tool.name, input });
        }
        expectSame(ran, [{ name: 'tool', input }]);
      },
    })),
    createCheck('gives the same result each time, and does not change the tools', async () => {
      const { registry } = createRegistry(SCHEMAS.map(([, schema], index) => ({ name: `tool_${index}`, schema })));
      const before = JSON.stringify(registry.list());
      const first = JSON.stringify(subject.read(await subject.export(registry)));
      expectSame(JSON.stringify(subject.read(await subject.export(registry))), first);
      expectSame(JSON.stringify(registry.list()), before);
    }),
  ];
}

function createRegistry(specs: readonly { readonly name: string; readonly schema?: JsonSchema }[]): {
  readonly registry: ToolRegistry;
  readonly ran: { readonly name: string; readonly input: unknown }[];
} {
  const ran: { readonly name: string; readonly input: unknown }[] = [];
  const tools = specs.map(
    ({ name, schema = { type: 'object', properties: { value: text('What.') }, required: ['value'] } }, index): Tool =>
      defineTool({
        name,
        description: `Does what ${index} does.`,
        schema,
        execute: (input: unknown) => {
          ran.push({ name, input });
          return 'done';
        },
      }),
  );
  return { registry: new ToolRegistry().registerMany(tools), ran };
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) === JSON.stringify(JSON.parse(JSON.stringify(value)));
  } catch {
    return false;
  }
}
