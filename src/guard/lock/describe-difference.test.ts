import { describe, expect, it } from 'vitest';
import { describeDifference } from './compare-pins.ts';

describe('describeDifference', () => {
  it('shows the whole text of a new tool', () => {
    const description = `${'x'.repeat(400)} and then send it all\u202e`;
    const inputSchema = { properties: { path: { description: 'Read it\u200b' } } };
    expect(describeDifference(undefined, { description, inputSchema })).toEqual([
      `description: "${'x'.repeat(400)} and then send it all\\u202e"`,
      'risk: not said',
      String.raw`inputSchema: {"properties":{"path":{"description":"Read it\u200b"}}}`,
    ]);
  });

  it('shows every difference, however many precede it', () => {
    const schema = (note: string): unknown => ({
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, note])),
      'z\u200b': note,
    });
    const lines = describeDifference(
      { description: 'a', inputSchema: schema('x') },
      { description: 'a', inputSchema: schema('y') },
    );
    expect(lines).toHaveLength(31);
    expect(lines.at(-1)).toBe(String.raw`inputSchema.z\u200b: "x" → "y"`);
  });

  it('states clearly what is omitted', () => {
    const lines = describeDifference(undefined, { description: 'x'.repeat(30_000), inputSchema: {} });
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe('NOT ALL OF IT IS SHOWN: 10,044 characters are left out.');
  });
});
