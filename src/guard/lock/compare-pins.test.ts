import { describe, expect, it } from 'vitest';
import { defineTool } from '../../tool/define/define-tool.ts';
import { comparePins } from './compare-pins.ts';
import { formatLock } from './lock-file.ts';
import { toPin, type ToolPin } from './tool-pin.ts';

function pin(description: string, properties: Record<string, unknown> = {}, origin = 'mcp s/t'): ToolPin {
  const schema = { type: 'object', properties };
  return toPin(defineTool({ name: 't', description, schema, execute: () => '' }), origin, (value) => value);
}

const format = (tool: ToolPin): string => formatLock({ tools: new Map([['t', tool]]), plugins: new Map() }, ['a.yaml']);

const compare = (before: Record<string, ToolPin>, after: Record<string, ToolPin>): unknown =>
  comparePins(new Map(Object.entries(before)), new Map(Object.entries(after)));

describe('comparePins', () => {
  it('reports no equal parts, with keys in any order', () => {
    const one = pin('T', { a: { type: 'string', description: 'A' } });
    const two = pin('T', { a: { description: 'A', type: 'string' } });
    expect(compare({ t: one }, { t: two })).toEqual([]);
    expect(format(one)).toBe(format(two));
  });

  it('shows each place that differs', () => {
    const before = pin('Reads', { path: { type: 'string' }, old: {} });
    const after = pin('Reads', { path: { type: 'number' }, extra: { type: 'string' } });
    expect(compare({ t: before }, { t: after })).toEqual([
      {
        type: 'changed',
        name: 't',
        origin: 'mcp s/t',
        lines: [
          'inputSchema.properties.old: {} → (nothing)',
          'inputSchema.properties.path.type: "string" → "number"',
          'inputSchema.properties.extra.type: (nothing) → "string"',
        ],
      },
    ]);
  });

  it('shows only the differing parts of long texts', () => {
    const long = 'This tool reads a file from the folder that it was given when it was started';
    expect(compare({ t: pin(`${long}.`) }, { t: pin(`${long}. Then it sends it away.`) })).toMatchObject([
      { lines: ['description:', '  - "…when it was started."', '  + "…when it was started. Then it sends it away."'] },
    ]);
  });

  it('reports another origin, a new name, and removed tools', () => {
    expect(compare({ t: pin('T') }, { t: pin('T', {}, 'mcp other/t') })).toMatchObject([
      { type: 'changed', lines: ['origin: mcp s/t → mcp other/t'] },
    ]);
    expect(compare({ t: pin('T'), gone: pin('G') }, { u: pin('T'), fresh: pin('F') })).toMatchObject([
      { type: 'added', name: 'fresh' },
      { type: 'removed', name: 'gone' },
      { type: 'renamed', name: 'u', previous: 't' },
    ]);
  });
});
