import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

const root = join(import.meta.dirname, '../../..');
const read = (pattern: string): string[] =>
  globSync(pattern, { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));

const SCHEMA = readFileSync(join(root, 'pegboard.schema.json'), 'utf8');
const SAMPLES: Readonly<Record<string, string>> = {
  'JSON Schema on one line': JSON.stringify(JSON.parse(SCHEMA)),
  'indented JSON Schema': SCHEMA,
  'English prose': read('docs/*.md').join('\n'),
  code: read('src/{board/registry,guard/policy,pipeline}/*.ts').join('\n'),
  'a listing of tools': read('test/fixtures/climax/*.yaml').join('\n'),
};

/** Texts of other languages, written for this test. */
const LANGUAGES: Readonly<Record<string, string>> = {
  Chinese: '这个工具可以在知识库中搜索文档，并按照相关性返回最合适的结果。请输入要查找的关键词和结果数量。',
  Japanese: 'このツールは知識ベースの文書を検索し、関連性の高い順に結果を返します。検索する言葉を入力してください。',
  Korean: '이 도구는 지식 베이스에서 문서를 검색하고 관련성이 높은 순서로 결과를 반환합니다. 검색어를 입력하세요.',
  Russian: 'Этот инструмент ищет документы в базе знаний и возвращает наиболее подходящие результаты по запросу.',
  Arabic: 'تبحث هذه الأداة عن المستندات في قاعدة المعرفة وتعيد النتائج الأكثر صلة بالاستعلام المطلوب.',
  Hindi: 'यह उपकरण ज्ञान भंडार में दस्तावेज़ खोजता है और सबसे उपयुक्त परिणाम लौटाता है।',
  Greek: 'Αυτό το εργαλείο αναζητά έγγραφα στη βάση γνώσεων και επιστρέφει τα πιο σχετικά αποτελέσματα.',
  Hebrew: 'הכלי הזה מחפש מסמכים במאגר הידע ומחזיר את התוצאות המתאימות ביותר לשאלה.',
  Thai: 'เครื่องมือนี้ค้นหาเอกสารในฐานความรู้และส่งคืนผลลัพธ์ที่เกี่ยวข้องมากที่สุด',
  German: 'Dieses Werkzeug durchsucht die Wissensdatenbank und gibt die passendsten Ergebnisse für die Anfrage zurück.',
  French:
    'Cet outil recherche des documents dans la base de connaissances et renvoie les résultats les plus pertinents.',
};

describe('estimateTokens', () => {
  it.each(Object.entries(SAMPLES))('is within 5 % of o200k_base and cl100k_base on %s', (_name, text) => {
    const estimate = estimateTokens(text);
    expect(Math.abs(estimate / countO200k(text) - 1)).toBeLessThan(0.05);
    expect(Math.abs(estimate / countCl100k(text) - 1)).toBeLessThan(0.05);
  });

  it.each(Object.entries(LANGUAGES))('is within 35 %% of o200k_base on a sentence of %s', (_name, text) => {
    expect(Math.abs(estimateTokens(text) / countO200k(text) - 1)).toBeLessThan(0.35);
  });

  it('is within 15 % of o200k_base over all languages together', () => {
    const text = Object.values(LANGUAGES).join('\n');
    expect(Math.abs(estimateTokens(text) / countO200k(text) - 1)).toBeLessThan(0.15);
  });

  it('returns 0 for an empty text, and whole tokens otherwise', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a')).toBe(1);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
        // A token has at least one character of UTF-16, or three bytes of UTF-8 for the rarest.
        expect(tokens).toBeLessThanOrEqual(text.length * 3);
      }),
    );
  });

  it('takes linear time', () => {
    const long = `${'a'.repeat(1_000_000)}${'é'.repeat(100_000)}${'!'.repeat(1_000_000)}${' '.repeat(1_000_000)}`;
    expect(estimateTokens(long)).toBeGreaterThan(100_000);
  });
});
