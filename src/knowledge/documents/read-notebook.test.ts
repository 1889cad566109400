import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../tool/run-in-turns.ts';
import { chunkText } from '../chunking/chunk-text.ts';
import { CodeParsers } from './code/code-parser.ts';
import { readDocument, type ReadDocument } from './read-document.ts';

async function read(notebook: unknown): Promise<ReadDocument> {
  const text = typeof notebook === 'string' ? notebook : JSON.stringify(notebook);
  return readDocument(new TextEncoder().encode(text), 'a.ipynb', new CodeParsers());
}

const code = (source: unknown, outputs: unknown[] = []): object => ({ cell_type: 'code', source, outputs });

describe('a notebook', () => {
  it('returns texts, code and printed output, without images', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Sales\n', '\n', 'By month.'] },
      code(
        ['import x\n', 'x.go()'],
        [
          { output_type: 'stream', text: ['12 ', 'sold\n'] },
          { output_type: 'display_data', data: { 'image/png': 'A'.repeat(5_000_000), 'text/plain': '<Figure>' } },
          { output_type: 'error', ename: 'KeyError', evalue: "'month'", traceback: ['long'] },
        ],
      ),
      code('print(```1```)', [{ output_type: 'stream', text: 'y'.repeat(1_000_000) }]),
    ];
    const result = await read({ cells, metadata: { language_info: { name: 'python' } } });
    const text = result.ok ? result.document.text : result.reason;
    expect(text).toContain(
      "# Sales\n\nBy month.\n\n```python\nimport x\nx.go()\n```\n\n```\n12 sold\n\n<Figure>\nKeyError: 'month'\n```",
    );
    expect(text).toContain('````python\nprint(```1```)\n````');
    expect(text.length).toBeLessThan(3_000);
    const chunks = result.ok ? runAtOnce(chunkText(result.document)) : [];
    expect(chunks[0]).toMatchObject({ headings: ['Sales'], lines: { from: 1 } });
    expect(chunks.at(-1)?.lines?.to).toBe(3);
  });

  it.each([
    ['{', 'is not a notebook: it is not JSON'],
    ['[]', 'is not a notebook: it has no cells'],
    ['{"a":1}', 'is not a notebook: it has no cells'],
    ['{"cells":[]}', 'is a notebook without words'],
    ['{"cells":[1,null,{"cell_type":"code","source":{},"outputs":7}]}', 'is a notebook without words'],
    ['['.repeat(1_000_000), 'is not a notebook: it is not JSON'],
  ])('says of %.30s why it is none', async (text, reason) => {
    expect(await read(text)).toEqual({ ok: false, reason });
  });
});
