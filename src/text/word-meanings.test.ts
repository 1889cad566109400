import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';
import { fetchWordMeanings, loadWordMeanings, WordMeanings } from './word-meanings.ts';

const meanings = loadWordMeanings() ?? expect.fail('The file is missing.');

function relatedTo(word: string): string[] {
  return meanings.relatedTo(meanings.find(stem(word))).map(({ stem: other }) => other);
}

function alike(one: string, other: string): number {
  const [a, b] = [one, other].map((word) => {
    const sum = new Float32Array(meanings.size);
    meanings.add(meanings.find(stem(word)), 1, sum);
    return sum;
  });
  const dot = (x = new Float32Array(), y = new Float32Array()): number =>
    x.reduce((sum, n, at) => sum + n * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('WordMeanings', () => {
  it.each([
    ['lawyer', 'attorney'],
    ['weather', 'rain'],
    ['flight', 'airline'],
    ['doctor', 'physician'],
    ['movie', 'film'],
  ])('relates %s to %s', (one, other) => {
    expect(relatedTo(one)).toContain(stem(other));
    expect(alike(one, other)).toBeGreaterThan(alike(one, 'trousers') + 0.2);
  });

  it('returns the nearest first, and no word as its own neighbour', () => {
    for (const word of ['weather', 'delete', 'kubernetes', 'zebra']) {
      const likeness = meanings.relatedTo(meanings.find(stem(word))).map((other) => other.likeness);
      expect(likeness).toEqual(likeness.toSorted((a, b) => b - a));
      expect(relatedTo(word)).not.toContain(stem(word));
    }
  });

  it('returns -1 for an unknown stem', () => {
    expect(['', 'qwertyuiop', '搜索', '\uFFFF', 'a', 'zzzzz', '0'].map((word) => meanings.find(word))).toEqual(
      Array.from({ length: 7 }, () => -1),
    );
  });

  it('gives common words less weight', () => {
    const weigh = (word: string): number => {
      const sum = new Float32Array(meanings.size);
      meanings.add(meanings.find(stem(word)), 1, sum);
      return Math.hypot(...sum);
    };
    expect(weigh('go')).toBeLessThan(weigh('invoice') / 2);
  });

  it('is read once, synchronously or asynchronously', async () => {
    expect(await fetchWordMeanings()).toBe(loadWordMeanings());
  });

  it('rejects other bytes', () => {
    expect(() => new WordMeanings(new Uint8Array(64))).toThrow('These are not word meanings');
  });
});
