// An original page in the style of the BSDs.
import { describe, expect, it } from 'vitest';
import { briefOptions as options } from '../brief-options.test-helper.ts';
import { parseMan } from '../parse-man.ts';

describe('readMdoc', () => {
  it('reads the macros of the BSDs', () => {
    const source = String.raw`.Dd May 1, 2024
.Dt REACH 1
.Os
.Sh NAME
.Nm reach
.Nd log in elsewhere
.Sh SYNOPSIS
.Nm reach
.Op Fl 46Aq
.Op Fl p Ar port
.Op Fl w Ar host : Ns Ar port
.Ar destination
.Op Ar command Op Ar argument ...
.Sh DESCRIPTION
.Bl -tag -width Ds
.It Fl 4
Only
.Nm
over the old
.Tn IP .
.It Fl p Ar port
The
.Ar port .
.It Fl -quiet , Fl q
Say less
.Pq or nothing .
.It Fl L Xo
.Sm off
.Oo Ar bind : Oc
.Ar port : host
.Sm on
.Xc
Forward.
Multiple
.Fl L
options are allowed.
.El
.Sh EXAMPLES
.Dl $ reach -p 22 example.com
`;
    const page = parseMan(source, ['reach']);
    expect(page.summary).toBe('log in elsewhere');
    expect(options(source, ['reach'])).toEqual([
      '-4',
      '-p port',
      '--quiet -q',
      '-L [bind:]port:host (several)',
      '-6',
      '-A',
      '-w host:port',
    ]);
    expect(page.options.slice(0, 4).map(({ description }) => description)).toEqual([
      'Only reach over the old IP.',
      'The port.',
      'Say less (or nothing).',
      'Forward. Multiple -L options are allowed.',
    ]);
    expect(page.positionals).toMatchObject([
      { name: 'destination', isRequired: true },
      { name: 'command', isRequired: false, isRepeated: true, tail: true },
    ]);
    expect(page.examples).toEqual([{ description: '', line: 'reach -p 22 example.com' }]);
  });

  it('terminates for every source, however broken', () => {
    for (const source of [
      '',
      '.',
      '.de X\n.X\n..\n.X',
      '.ie n \\{\\\n.SH NAME',
      '.el \\{\n.\\}',
      '.ds a \\*a\n\\*a \\*[ \\( \\[ \\f \\s \\h',
      '.SH OPTIONS\n.TP\n.TP\n.IP\n\\fB--a',
      '.It Fl\n.Sh X\n.Bl\n.It\n.It Xo\n.Op Op Op\n.Fl\n.Ar\n.Xr\n.Pf',
    ]) {
      expect(parseMan(source, ['x']).command).toEqual(['x']);
    }
  });
});
