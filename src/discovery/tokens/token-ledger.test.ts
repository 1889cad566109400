import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { ToolError } from '../../tool/tool-error.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { toMcpTools } from '../../export/mcp.ts';
import { toOpenAITools } from '../../export/openai.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { fakeTool } from '../boards.test-helper.ts';
import { createDiscoveryTools } from '../meta-tools/create-discovery-tools.ts';
import { ToolIndex } from '../tool-index.ts';
import { createTokenLedger, type TokenizerName, type TokenLedger } from './token-ledger.ts';

/** Creates a registry with tools as long as real ones. */
function manyTools(count: number): ToolRegistry {
  const tools = Array.from({ length: count }, (_, number) =>
    defineTool({
      name: `server_${number % 40}.find_record_${number}`,
      description: `Find records of table ${number} by the text they contain, newest first, with paging.`,
      source: `server_${number % 40}`,
      schema: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'What the records contain' },
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most' },
          order: { type: 'string', enum: ['newest', 'oldest'], default: 'newest' },
        },
        required: ['text'],
      },
      execute: () => [],
    }),
  );
  return new ToolRegistry().registerMany(tools);
}

const modeOf = ({ modes }: TokenLedger, name: string): TokenLedger['modes'][number] | undefined =>
  modes.find(({ mode }) => mode === name);

describe('createTokenLedger', () => {
  it('shows that discovery on 1,000 tools costs under 700 tokens up front in every format', () => {
    const ledger = createTokenLedger(manyTools(1000), { tokenizer: 'o200k_base' });
    const discovery = modeOf(ledger, 'discovery');
    const classic = modeOf(ledger, 'classic');
    for (const format of ['openai', 'anthropic', 'mcp'] as const) {
      expect(discovery?.tokens[format]).toBeLessThan(700);
      expect(classic?.tokens[format]).toBeGreaterThan(80_000);
    }
    expect(modeOf(ledger, 'auto')).toEqual({ ...discovery, mode: 'auto' });
  });

  it('counts the JSON of the definitions, as it is sent', () => {
    const registry = manyTools(3);
    const ledger = createTokenLedger(registry, { tokenizer: 'o200k_base' });
    const sum = (definitions: readonly unknown[]): number =>
      definitions.reduce<number>((total, definition) => total + countTokens(JSON.stringify(definition)), 0);
    expect(modeOf(ledger, 'classic')?.tokens).toMatchObject({
      openai: sum(toOpenAITools(registry).tools),
      mcp: sum(toMcpTools(registry).tools),
    });
    const finders = createDiscoveryTools({ registry, index: ToolIndex.from(registry) });
    expect(modeOf(ledger, 'discovery')?.tokens.mcp).toBe(sum(toMcpTools(finders).tools));
  });

  it('adds tools up by source, the most expensive first', () => {
    const ledger = createTokenLedger([
      fakeTool('a', 'Short', { source: 'small' }),
      fakeTool('b', 'A description that is longer than the other one by far', { source: 'large' }),
      fakeTool('c', 'Short', { source: 'large' }),
      fakeTool('d', 'Short'),
    ]);
    expect(ledger.tokenizer).toBe('estimate');
    expect(ledger.tools[0]).toMatchObject({ name: 'b', source: 'large' });
    expect(ledger.sources.map(({ name, toolCount }) => [name, toolCount])).toEqual([
      ['large', 2],
      ['small', 1],
      ['code', 1],
    ]);
    const total = ledger.sources.reduce((sum, { tokens }) => sum + tokens.mcp, 0);
    expect(modeOf(ledger, 'classic')?.tokens.mcp).toBe(total);
  });

  it('is classic while the list fits the budget, and keeps pinned tools above it', () => {
    const registry = manyTools(100);
    expect(modeOf(createTokenLedger(registry, { budget: 1e6 }), 'auto')).toMatchObject({
      shows: 'classic',
      toolCount: 100,
    });
    const tight = createTokenLedger({ registry, pinned: ['server_0.find_record_0'] }, { budget: 500 });
    expect(modeOf(tight, 'auto')).toMatchObject({ shows: 'discovery', toolCount: 4 });
  });

  it('takes the budget of a board from its files', () => {
    const registry = manyTools(10);
    const files = [
      { name: 'a', sections: { serve: { token_budget: 100 } } },
      { name: 'b', sections: { serve: {} } },
    ];
    expect(createTokenLedger({ registry, files }).budget).toBe(100);
    expect(createTokenLedger({ registry }).budget).toBe(10_000);
  });

  it('counts the same with and without registered discovery tools', () => {
    const registry = manyTools(5);
    const before = createTokenLedger(registry);
    registry.registerMany(createDiscoveryTools({ registry, index: ToolIndex.from(registry) }));
    expect(createTokenLedger(registry)).toEqual(before);
  });

  it('accepts a counting function, and rejects an unknown tokenizer', () => {
    const ledger = createTokenLedger([fakeTool('a', 'A')], { tokenizer: () => 7 });
    expect(ledger.tools[0]?.tokens).toEqual({ openai: 7, anthropic: 7, mcp: 7 });
    expect(ledger.tokenizer).toBe('custom');
    // A program without types may pass this.
    const wrong = 'gpt9' as TokenizerName;
    expect(() => createTokenLedger([], { tokenizer: wrong })).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        message:
          'Unknown tokenizer "gpt9". Use one of: estimate, o200k_base, o200k_harmony, cl100k_base, p50k_base, r50k_base.',
      } satisfies Partial<ToolError>),
    );
  });
});
