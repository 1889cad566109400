import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../tool/run-in-turns.ts';
import { scanMarkdown } from './scan-markdown.ts';

const root = join(import.meta.dirname, '../../..');

/** Returns line starts and depths of a document's own headings, as a full Markdown parser finds them. */
function judge(text: string): string[] {
  return fromMarkdown(text).children.flatMap((node) => {
    if (node.type !== 'heading' || node.position?.start.offset === undefined) return [];
    return [`${node.position.start.offset - node.position.start.column + 1}:${node.depth}`];
  });
}

function found(text: string): string[] {
  return runAtOnce(scanMarkdown(text)).flatMap(({ shown, start, depth }) => (shown === 0 ? [] : [`${start}:${depth}`]));
}

describe('scanMarkdown', () => {
  it('finds the headings that a full parser finds, in real documents', () => {
    const files = globSync(['*.md', 'docs/**/*.md', 'node_modules/{undici,ajv,re2js,langsmith,js-yaml}/**/*.md'], {
      cwd: root,
    });
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      expect([file, ...found(text)]).toEqual([file, ...judge(text)]);
    }
  });

  it('finds them in unusual Markdown', () => {
    const line = fc.constantFrom(
      '# One',
      '## Two ##',
      '   ### Three',
      '    # code',
      '#no',
      'text',
      'more text',
      '',
      '',
      '===',
      '---',
      '```',
      '~~~',
      '> quote',
      '<!-- open',
      '-->',
      '<div>',
      '</div>',
      '***',
      '\t# tabbed',
      '# ',
      '<pre>',
      '</pre> x',
      '````',
      '```js',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.join('\n');
        expect([text, ...found(text)]).toEqual([text, ...judge(text)]);
      }),
      { numRuns: 1500 },
    );
  });

  it('gives sections their headings, without marks, and covers the whole text', () => {
    const text = 'Before.\n\n# The `code` and [a link](x)\n\nText.\n\n### Deep\n\nMore.\n\nNext\n----\n\nEnd.\n';
    const sections = runAtOnce(scanMarkdown(text));
    expect(sections.map(({ headings, depth }) => [depth, ...headings])).toEqual([
      [0],
      [1, 'The code and a link'],
      [3, 'The code and a link', 'Deep'],
      [2, 'The code and a link', 'Next'],
    ]);
    expect(sections.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });

  it('has a title above all headings when there is none of the first level', () => {
    const text = '\n\n## Part\n\nText.\n';
    const headings = (source: string): (readonly string[])[] =>
      runAtOnce(scanMarkdown(source, 'The guide')).map((section) => section.headings);
    expect(headings(text)).toEqual([['The guide'], ['The guide', 'Part']]);
    expect(headings(`${text}\n# Own\n`)).toEqual([[], ['Part'], ['Own']]);
  });
});
