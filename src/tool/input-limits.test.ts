import { describe, expect, it } from 'vitest';
import { JsonMeter, measureJson } from './input-limits.ts';

const bounds = { values: 4, depth: 3 };
const measure = (text: string): string | undefined => new JsonMeter(bounds).push(text);

describe('JsonMeter', () => {
  it.each([
    ['items', '[1,2,3,4]', undefined],
    ['one item too many', '[1,2,3,4,5]', 'values'],
    ['keys', '{"a":1,"b":2,"c":3,"d":4}', undefined],
    ['one key too many', '{"a":1,"b":2,"c":3,"d":4,"e":5}', 'values'],
    ['levels', '[[[1]]]', undefined],
    ['one level too many', '[[[[1]]]]', 'depth'],
    ['what stands in texts', String.raw`["[[[[,,,,","\"[[[[,,,,\\",1]`, undefined],
    ['what stands after a text', String.raw`["\\",1,2,3,4]`, 'values'],
    ['a text that does not end', '"[[[[,,,,,', undefined],
  ])('counts %s', (_, text, expected) => {
    expect(measure(text)).toBe(expected);
  });

  it('counts the same in pieces of any size', () => {
    const texts = [String.raw`["\\\"[[,,",{"a\\":1}]`, String.raw`["\\",[1,2],"\",",3]`, '[1,2,3,4,5]'];
    for (const text of texts)
      for (let size = 1; size <= text.length; size++) {
        const meter = new JsonMeter(bounds);
        let seen: string | undefined;
        for (let at = 0; at < text.length; at += size) seen = meter.push(text.slice(at, at + size));
        expect([text, size, seen]).toEqual([text, size, measure(text)]);
      }
  });

  it('does not scan texts that are too short for a fault', () => {
    expect(measureJson('1,1,1,', { values: 3 })).toBeUndefined();
    expect(measureJson('[1,1,1,1]', { values: 3 })).toBe('values');
  });
});
