import { describe, expect, it } from 'vitest';
import { FewMap } from './few-map.ts';

const COUNT = 40;

describe('FewMap', () => {
  it('keeps few entries and many by their ids, numbers apart from strings', () => {
    const map = new FewMap<{ readonly id: number | string }>();
    for (let id = 0; id < COUNT; id++) for (const one of [id, String(id)]) map.add(one, { id: one });
    expect(map.size).toBe(COUNT * 2);
    for (let id = 0; id < COUNT; id++) {
      expect(map.get(id)).toEqual({ id });
      expect(map.get(String(id))).toEqual({ id: String(id) });
    }
    for (let id = 0; id < COUNT; id++) map.delete(id);
    expect(map.get(0)).toBeUndefined();
    expect(map.values()).toHaveLength(COUNT);
    expect(new Set(map.values().map(({ id }) => id))).toEqual(
      new Set(Array.from({ length: COUNT }, (_, id) => `${id}`)),
    );
  });

  it('gives values that stay as they were while entries are deleted', () => {
    const map = new FewMap<object>();
    for (let id = 0; id < COUNT; id++) map.add(id, { id });
    const values = map.values();
    for (let id = 0; id < COUNT; id++) map.delete(id);
    expect(values).toHaveLength(COUNT);
    expect(map.size).toBe(0);
  });
});
