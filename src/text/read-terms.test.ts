import { expect, it } from 'vitest';
import { readTerms } from './read-terms.ts';

it.each([
  ['The cats are running', ['cat', 'run']],
  ['relational databases, generalizations and hopefulness', ['relat', 'databas', 'gener', 'hope']],
  [
    'parseJson snake_case HTTPServer utf8',
    ['pars', 'json', 'parsejson', 'snake', 'case', 'http', 'server', 'httpserver', 'utf', '8', 'utf8'],
  ],
  ['not in all of them', ['not', 'in', 'all']],
  ['Crème brûlée, naïve', ['creme', 'brule', 'naiv']],
  ['東京都 です', ['東京', '京都', 'です']],
  ['字', ['字']],
  ['हिन्दी में', ['हिन्दी', 'में']],
  ['Привет, мир', ['привет', 'мир']],
  ['αβγ ΑΒΓ', ['αβγ', 'αβγ']],
  ['', []],
  ['— … !', []],
  ['\u{1f98a} \0 \ud800', []],
])('reads %j', (text, terms) => {
  expect(readTerms(text)).toEqual(terms);
});

it('keeps repeats in order', () => {
  expect(readTerms('fox hen fox')).toEqual(['fox', 'hen', 'fox']);
});

it('cuts words of more than 64 characters', () => {
  expect(readTerms('x'.repeat(100))).toEqual(['x'.repeat(64)]);
});
