import { describe, expect, it } from 'vitest';
import { escapeDocument, escapeVariables, unescapeKeys } from './escape-variables.ts';
import { interpolate } from '../../load/variables/interpolate.ts';

const sources = { variables: { NAME: 'value' }, env: { API_KEY: 'k-12345678' }, readFile: () => 'file' };
const read = (text: string): string => interpolate(text, sources).text;

describe('$${', () => {
  it('represents the text ${ before any text', () => {
    expect(read('$${NAME} ${NAME} $${NAME:-x} $${file:/etc/passwd} $${ {')).toBe(
      '${NAME} value ${NAME:-x} ${file:/etc/passwd} ${ {',
    );
    expect(read('$$${NAME} $ $$ $NAME')).toBe('$${NAME} $ $$ $NAME');
    expect(interpolate('$${API_KEY} $${MISSING}', sources)).toMatchObject({ missing: [], needed: [], secrets: [] });
  });

  it('preserves any text', () => {
    for (const text of [
      '${NAME}',
      '$${NAME}',
      '$$${NAME}',
      '${${NAME}}',
      '${',
      '$',
      'a $& ${file:x} b',
      '${NAME:-${NAME}}',
    ]) {
      expect(read(String(escapeVariables(text)))).toBe(text);
    }
  });

  it('escapes values of a document, but not keys of the result', () => {
    const document = { '${KEY}': ['${NAME}', 1, null], same: { name: '${NAME}' } };
    expect(escapeVariables(document)).toEqual({ '${KEY}': ['$${NAME}', 1, null], same: { name: '$${NAME}' } });
    expect(unescapeKeys(escapeDocument(document, () => {}))).toEqual(escapeVariables(document));
  });

  it('handles a document that contains itself', () => {
    const document: Record<string, unknown> = { text: '${NAME}' };
    document['self'] = document;
    const escaped = escapeDocument(document, () => {}) as typeof document;
    expect(escaped['self']).toBe(escaped);
    expect(escaped['text']).toBe('$${NAME}');
  });
});
