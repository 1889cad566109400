import { expect, it } from 'vitest';
import { readTerms, weighTerms } from './read-terms.ts';

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

it.each([
  ['show the cats, all the cats', { show: 0.5, cat: 2, all: 0.5 }],
  ['not in', { not: 0.5, in: 0.5 }],
  ['parseJson file', { pars: 0.577, json: 0.577, parsejson: 0.577, file: 1 }],
  ['東京都 fox', { 東京: 1, 京都: 1, fox: 1 }],
  ['', {}],
])('weighs the terms of the query %j', (query, weights) => {
  expect(Object.fromEntries(weighTerms(query))).toEqual(
    Object.fromEntries(Object.entries(weights).map(([term, weight]) => [term, expect.closeTo(weight, 3)])),
  );
});
