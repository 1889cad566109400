import { describe, expect, it } from 'vitest';
import { createTestContext } from '../../../cli/shared/cli-context.test-helper.ts';
import { createMarkdownRenderer } from './markdown.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';

/** Renders a text one character at a time, in 40 columns. */
function render(text: string, env: Record<string, string> = { NO_COLOR: '1' }): string {
  const context = createTestContext({ isTTY: true, env });
  const renderer = createMarkdownRenderer(createStyle(context.stdout, env), 40);
  for (const character of text) context.stdout.write(renderer.push(character));
  context.stdout.write(renderer.end());
  return context.printed().stdout;
}

describe('createMarkdownRenderer', () => {
  it('renders headings, bold text, links, lists and quotes, and wraps at words', () => {
    const text = `## A **title** ##

Some **bold** text, \`code\` and a [page](https://x.example) in it.
- one item that is long enough to wrap around
  1. below
> said
---
the end`;
    expect(render(text)).toBe(`A title

Some bold text, code and a page
(https://x.example) in it.
• one item that is long enough to wrap
  around
  1. below
│ said
${'─'.repeat(40)}
the end
`);
  });

  it('keeps code unchanged, and aligns tables', () => {
    const text =
      '```ts\nconst a = **b**;\n\n# no heading\n```\n| Name | Does |\n|---|:-:|\n| a | **b** \\| c |\n| long | d |\n';
    expect(render(text)).toBe('  const a = **b**;\n  \n  # no heading\nName  Does\na     b | c\nlong  d\n');
    expect(render('| only | one |')).toBe('only  one\n');
  });

  it('uses colours on a terminal, and makes hidden characters visible', () => {
    expect(render('**a** `b`', {})).toBe('\u001B[1ma\u001B[22m \u001B[36mb\u001B[39m\n');
    expect(render('x \u001B[8m**y**\u202E', {})).toBe(
      String.raw`x \u001b[8m` + '\u001B[1my\u001B[22m' + String.raw`\u202e` + '\n',
    );
  });
});
