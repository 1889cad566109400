import { describe, expect, it } from 'vitest';
import { takeFrontMatter } from './front-matter.ts';

describe('takeFrontMatter', () => {
  it('removes YAML and TOML from the text, and keeps line numbers', () => {
    const yaml =
      '---\ntitle: "The guide"\ntags:\n  - ops\n  - 2024\nkeywords: login, passkeys\ncategory: Tutorial\nauthor: Ann\n---\n# Part\n';
    expect(takeFrontMatter(yaml)).toEqual({
      text: `${'\n'.repeat(9)}# Part\n`,
      front: { title: 'The guide', type: 'tutorial', tags: ['ops', '2024', 'login', 'passkeys', 'Tutorial'] },
    });
    const toml = '+++\ntitle = "T"\ntags = ["a"]\ntype = "api"\n[extra]\nx = 1\n+++\nText\n';
    expect(takeFrontMatter(toml)).toEqual({
      text: `${'\n'.repeat(7)}Text\n`,
      front: { title: 'T', type: 'api', tags: ['a'] },
    });
  });

  it('keeps a description as the first paragraph', () => {
    expect(takeFrontMatter('---\ndescription: How to\n  log in.\n---\nText').text).toBe('How to log in.\n\n\n\nText');
  });

  it('reads lines that are not quite YAML', () => {
    const text = '---\ntitle: Part 1: Start\ntags: [a, b]\n---\nText';
    expect(takeFrontMatter(text).front).toEqual({ title: 'Part 1: Start', type: undefined, tags: ['a', 'b'] });
  });

  it.for([
    '---\nSome prose between rules.\n\nMore: of it.\n---\nText',
    '---\n- a list\n---\nText',
    '---\ntitle: never closed\n',
    '+++\nnot toml\n+++\nText',
    `---\n${'a: b\n'.repeat(10_000)}---\n`,
    'Text\n---\na: b\n---\n',
  ])('leaves %j as text', (text) => {
    expect(takeFrontMatter(text)).toEqual({ text, front: undefined });
  });

  it('limits title and tags', () => {
    const tags = Array.from({ length: 80 }, (_, n) => `t${n}`);
    expect(takeFrontMatter(`---\ntags: [${tags.join(',')}, ${'x'.repeat(200)}]\n---\n`).front?.tags).toHaveLength(50);
    const deep = `---\na: ${'['.repeat(15_000)}\n---\nText`;
    expect(takeFrontMatter(deep).text.endsWith('Text')).toBe(true);
  });
});
