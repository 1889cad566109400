import { describe, expect, it } from 'vitest';
import { isNestedDeeper } from './tag-depth.ts';

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
