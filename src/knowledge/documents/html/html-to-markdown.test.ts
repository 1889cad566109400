import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { htmlToMarkdown, isNestedDeeper } from './html-to-markdown.ts';

function convert(html: string): string {
  try {
    return htmlToMarkdown(html);
  } catch (refusal) {
    return `(${messageOf(refusal)})`;
  }
}

describe('a page as Markdown', () => {
  it('keeps headings, paragraphs, marks, links, pictures and line breaks', () => {
    const html =
      '<h1>A <i>page</i></h1><p>Some  <b>bold</b>\n<code>words</code>,<br>a <a href="/x">link</a> and <img src="p.png" alt="a cat"><b> </b>.</p><hr><p>End';
    expect(convert(html)).toBe('# A _page_\n\nSome **bold** `words`,\na [link](/x) and ![a cat](p.png) .\n\nEnd');
  });

  it('keeps lists in lists, quotes, tables and code', () => {
    const html =
      '<ol start=3><li>three<ul><li>inner</ul><li>four</ol><blockquote><p>said<p>twice</blockquote><table><tr><th>A<th>B<tr><td>1<td><p>2</p></table><pre>x = `1`\n```\ny</pre>';
    expect(convert(html)).toBe(
      [
        '3. three\n\n   - inner\n\n4. four',
        '> said\n\n> twice',
        '| A | B |\n|---|---|\n| 1 | 2 |',
        '````\nx = `1`\n```\ny\n````',
      ].join('\n\n'),
    );
  });

  it('repeats merged cells in their rows, and ignores layout tables', () => {
    const html =
      '<table><tr><th>City<th>Year<th>People<tr><td rowspan=2>Rome|Lazio<td>2020<td>1<tr><td>2021<td>2<tr><td colspan=2>Sum<td>3</table>';
    expect(convert(html)).toBe(
      '| City | Year | People |\n|---|---|---|\n| Rome\\|Lazio | 2020 | 1 |\n| Rome\\|Lazio | 2021 | 2 |\n| Sum |  | 3 |',
    );
    expect(convert('<table><tr><td><h1>News</h1><p>One<td><table><tr><td>a<td>b</table></table>')).toBe(
      '# News\n\nOne\n\n| a | b |\n|---|---|',
    );
  });

  it('limits the text that merged cells add', () => {
    const cells = `<td rowspan=65000 colspan=1000>${'x'.repeat(150)}`.repeat(50);
    const html = `<table>${`<tr>${cells}${'<tr><td>a'.repeat(2000)}`.repeat(20)}</table>`;
    expect(convert(html).length).toBeLessThan(html.length * 2 + 5_000_000);
  });

  it('escapes words that look like marks', () => {
    expect(convert('<p># no heading<p>1. no item<p>- neither<p>a < b, snake_case')).toBe(
      '\\# no heading\n\n1\\. no item\n\n\\- neither\n\na < b, snake_case',
    );
  });

  it.each([
    ['signs that start no tag', (size: number) => '<'.repeat(size)],
    ['small pieces of text', (size: number) => '<span>x</span>'.repeat(size / 14)],
    ['a long list', (size: number) => `<ol>${'<li>x</li>'.repeat(size / 10)}</ol>`],
    ['lists in lists', (size: number) => '<ul><li>'.repeat(100) + '<p>x'.repeat(size / 4)],
    ['quotes in quotes', (size: number) => '<blockquote>'.repeat(200) + '<p>x'.repeat(size / 4)],
    ['tags in tags', (size: number) => `${'<b>'.repeat(900)}x${'</b>'.repeat(900)}`.repeat(size / 6301)],
    ['tags that are not closed', (size: number) => '<p>x'.repeat(size / 4)],
    ['attributes without end', (size: number) => `<p ${'a=b '.repeat(size / 4)}`],
  ])('takes four times as long for four times as many %s, and no longer', (_, make) => {
    const [small, large] = [make(12_500), make(50_000)];
    convert(small);
    let ratio = Infinity;
    // Other work of the machine may disturb one measurement, but not all of them.
    for (let attempt = 0; attempt < 5 && ratio > 8; attempt++) ratio = Math.min(ratio, cpuOf(large) / cpuOf(small));
    expect(ratio).toBeLessThan(10);
  });
});

/** Returns the microseconds of processor time to convert a page; at least a few, to avoid dividing by zero. */
function cpuOf(html: string): number {
  const before = process.cpuUsage();
  convert(html);
  const { user, system } = process.cpuUsage(before);
  return Math.max(user + system, 2_000);
}

describe('isNestedDeeper', () => {
  it('counts tags inside each other', () => {
    expect(isNestedDeeper('<div>'.repeat(10), 10)).toBe(false);
    expect(isNestedDeeper('<div>'.repeat(11), 10)).toBe(true);
    expect(isNestedDeeper('<B><i></x>'.repeat(6), 10)).toBe(true);
    expect(isNestedDeeper('<td><p>'.repeat(6), 10)).toBe(true);
  });

  it.for([
    '<p>a<br>b<img src=x>',
    '<p>a<ul><li>b<li>c</ul>',
    '<table><tr><td>a<td>b<tr><th>c</table>',
    '<dl><dt>a<dd>b</dl>',
    '<select><option>a<option>b</select>',
    '<b><i>crossed</b></i>',
    '<!-- <div> -->',
    '<script>"<div>"</script>',
    '<svg><path d="x"/><path d="y"/></svg>',
  ])('sees that %s is not deep, however often it comes', (html) => {
    expect(isNestedDeeper(html.repeat(100), 10)).toBe(false);
  });

  it.for(['<!--', '<script ', '<svg>', '<a ', '</b', '<'])('reads a million times %j once', (piece) => {
    expect(isNestedDeeper(piece.repeat(1_000_000), 1_000_001)).toBe(false);
  });
});
