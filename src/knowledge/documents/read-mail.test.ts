import { describe, expect, it } from 'vitest';
import { CodeParsers } from './code/code-parser.ts';
import { readDocument } from './read-document.ts';

async function read(lines: readonly string[] | string, path = 'a.eml'): Promise<string> {
  const text = typeof lines === 'string' ? lines : lines.join('\r\n');
  const result = await readDocument(new TextEncoder().encode(text), path, new CodeParsers());
  return result.ok ? result.document.text : `(${result.reason})`;
}

const HEAD = [
  'From: =?utf-8?q?J=C3=B6rg?= <joerg@example.com>',
  'To: ann@example.com, "Bob B." <bob@example.com>',
  'Subject: =?utf-8?b?R3LDvMOfZQ==?=',
  'Date: Fri, 01 Mar 2024 14:30:00 +0000',
  'MIME-Version: 1.0',
];

describe('a mail', () => {
  it('has the subject, people, date and text, and the names of attachments', async () => {
    const mail = [
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=m',
      '',
      '--m',
      'Content-Type: multipart/alternative; boundary=a',
      '',
      '--a',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Hallo,',
      '',
      '# caf=E9 um drei?',
      '--a',
      'Content-Type: text/html',
      '',
      '<p>other</p>',
      '--a--',
      '--m',
      'Content-Type: application/pdf; name="plan.pdf"',
      'Content-Disposition: attachment; filename="plan.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      'QUJD'.repeat(100),
      '--m--',
      '',
    ];
    expect(await read(mail)).toBe(
      '# Grüße\n\nFrom: Jörg <joerg@example.com>\nTo: ann@example.com, Bob B. <bob@example.com>\nDate: 2024-03-01T14:30:00.000Z\n\nHallo,\n\n\\# café um drei?\n\nAttached: plan.pdf',
    );
  });

  it('reads pages if there is no plain text, with their tables but without their layout', async () => {
    const html =
      '<table role="presentation"><tr><td><h1>Offer</h1><p>For you.</p><table><tr><th>Item</th><th>Price</th></tr><tr><td>Pen</td><td>2</td></tr></table></td></tr></table>';
    expect(await read([...HEAD, 'Content-Type: text/html', '', html])).toMatch(
      /\n\n## Offer\n\nFor you\.\n\n\| Item \| Price \|\n\|---\|---\|\n\| Pen \| 2 \|$/,
    );
  });

  it('reads a page that a browser saved in one file', async () => {
    const page = [
      'From: <Saved by Blink>',
      'Subject: x',
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; type="text/html"; boundary=r',
      '',
      '--r',
      'Content-Type: text/html',
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Location: https://example.com/',
      '',
      '<html><head><title>Saved</title></head><body><p>A=20page</p></body></html>',
      '--r',
      'Content-Type: image/png',
      'Content-Transfer-Encoding: base64',
      '',
      'QUJD',
      '--r--',
    ];
    expect(await read(page, 'a.mhtml')).toBe('# Saved\n\nA page');
  });

  it('handles broken and hostile mails', async () => {
    expect(await read('no mail at all')).toBe('(is not a mail: it has no sender, subject or date)');
    const nested = Array.from(
      { length: 5000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    );
    expect(await read(`Subject: x\r\n${nested.join('')}`)).toMatch(/^\(cannot be read as mail: /);
    const forwarded = 'Content-Type: message/rfc822\r\n\r\nSubject: in\r\n'.repeat(5000);
    expect((await read(`Subject: x\r\n${forwarded}\r\n\r\nwords`)).length).toBeLessThan(1_000_000);
    expect(await read(`Subject: x\r\n${`X-A: ${'b'.repeat(900)}\r\n`.repeat(2_000)}\r\nwords`)).toMatch(
      /^\(cannot be read as mail: /,
    );
    expect(await read(`Subject: x\r\n\r\n${'words\r\n\r\n'.repeat(30_000)}`)).toBe(
      '(has more than 50000 lines of text; save attachments separately)',
    );
    const base64 =
      `Subject: big\r\nContent-Type: application/octet-stream; name=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUJD'.repeat(19)}\r\n`.concat(
        `${'QUJD'.repeat(19)}\r\n`.repeat(100_000),
      );
    expect(await read(base64)).toBe('# big\n\nAttached: a.bin');
  });
});
