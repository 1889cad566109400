import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { ToolIndex } from '../../discovery/tool-index.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { openProgramTools } from '../program/program-tools.ts';
import { checkProgram } from './check-program.ts';

const registry = new ToolRegistry().registerMany([
  defineTool({
    name: 'git_log',
    description: 'Shows commits.',
    schema: {
      type: 'object',
      properties: { max_count: { type: 'integer' }, format: { enum: ['short', 'long'] } },
      required: ['max_count'],
      additionalProperties: false,
    },
    execute: () => '',
  }),
  defineTool({
    name: 'a.b-c',
    description: 'Has a name that is no identifier.',
    schema: { type: 'object' },
    execute: () => '',
  }),
]);
const tools = openProgramTools({ registry, index: ToolIndex.from(registry) }, ToolContext.from(undefined));

async function faultsOf(code: string): Promise<string> {
  const checked = await checkProgram(code, tools);
  return checked.ok ? '' : checked.error.message;
}

describe('checkProgram', () => {
  it.each([
    ['plain calls', `return await tools.git_log({ max_count: 3 });`],
    [
      'arguments that are known only in part',
      `const n = input.n; await tools.git_log({ max_count: n, format: 'short' });`,
    ],
    ['spread arguments', `await tools.git_log({ ...input });`],
    ['what can be repaired', `await tools.git_log({ max_count: '3' });`],
    ['names that are no identifiers', `await tools['a.b-c']({}); await tools.a_b_c({});`],
    ['computed names', `const name = 'x'; await tools[name]({});`],
    ['TypeScript', `interface A { n: number } const a: A = { n: 1 }; return a.n satisfies number;`],
    ['names of its own', `const fetch = () => 1; return fetch();`],
    [
      'functions, loops, classes and labels',
      `class A { #x = 1; get x() { return this.#x } } outer: for (const a of [1]) { continue outer } return new A().x;`,
    ],
  ])('lets %s pass', async (_, code) => {
    expect(await faultsOf(code)).toBe('');
  });

  it('reports all faults at once, each with its position', async () => {
    const message = await faultsOf(
      `const a = await tools.git_lgo({ max_count: 3 });\nawait tools.git_log({ max_count: 'many', formt: 'short' });\nreturn fetch('https://example.com');`,
    );
    expect(message).toMatch(/1:17 There is no tool "git_lgo". Did you mean: git_log\?/);
    expect(message).toContain(`const a = await tools.git_lgo`);
    expect(message).toMatch(/2:21[^]*max_count[^]*formt/);
    expect(message).toMatch(/3:8[^]*fetch/);
  });

  it.each([
    ['a syntax error', 'const a = ;', /1:1[01][^]*const a = ;/],
    ['an error in TypeScript', 'enum A { B }\nreturn A.B;', /enum/],
    ['an import', `import fs from 'node:fs';`, /1:1[^]*import/],
    ['an import by function', `await import('node:fs');`, /1:7[^]*import/i],
    ['two arguments', `await tools.git_log({ max_count: 1 }, {});`, /1:39[^]*one object/],
    ['a missing argument', `await tools.git_log({});`, /max_count/],
    ['no argument where one is needed', `await tools.git_log();`, /max_count/],
  ])('tells %s', async (_, code, expected) => {
    expect(await faultsOf(code)).toMatch(expected);
  });

  it.each([
    ['of one name that cannot be parsed', 'tools.a '.repeat(24_000)],
    ['of one name', 'tools.a;'.repeat(24_000)],
    ['of many names', Array.from({ length: 15_000 }, (_, number) => `tools.b${number};`).join('')],
    ['of undeclared names', Array.from({ length: 20_000 }, (_, number) => `x${number};`).join('')],
  ])('reads a long program %s beside other work, and tells the first 20 faults', async (_, code) => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const checked = await checkProgram(code, tools);
    isDone = true;
    expect(turns).toBeGreaterThan(10);
    expect(checked).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(checked.ok ? [] : checked.error.issues).toHaveLength(20);
    expect(checked.ok ? '' : checked.error.message).toMatch(/it has more than 20 faults[^]*And more\.$/);
  });

  it('still reads TypeScript after a program that breaks the type stripper', async () => {
    const nested = `const q: number = 1;${'(a:(b)=>'.repeat(24_000)}`;
    await checkProgram(nested, tools).catch(() => {});
    await checkProgram(nested.slice(0, 9_000), tools).catch(() => {});
    expect(await faultsOf('const a: number = 1; return a;')).toBe('');
  });

  it('returns the value of the last expression without a return statement', async () => {
    const checked = await checkProgram('const a = 1;\na + 1', tools);
    expect(checked.ok && checked.code).toMatch(/return[ (]+a \+ 1/);
  });
});
