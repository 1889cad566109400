// Original pages in the styles of well-known ones.
import { describe, expect, it } from 'vitest';
import { briefOptions as options } from './brief-options.test-helper.ts';
import { parseMan } from './parse-man.ts';

describe('parseMan', () => {
  it('reads pages that are written by hand, with tags', () => {
    const source = String.raw`.\" A comment
.TH SIEVE 1 "May 2024" "sieve 1.0"
.SH NAME
sieve \- keep lines that match
.SH SYNOPSIS
.B sieve
[\fIOPTION\fR]... \fIPATTERN\fR [\fIFILE\fR]...
.SH DESCRIPTION
.B sieve
reads each
.I FILE
and keeps lines.
.SH OPTIONS
.TP
.BR \-e " " \fIPATTERN\fR ", " \-\-regexp= \fIPATTERN\fR
Use this pattern.
This option can be given more than once.
.TP
\fB\-i\fR, \fB\-\-ignore\-case\fR
Upper and lower case are the same.
.TP
\fB\-\-color\fR[=\fIWHEN\fR]
Mark what matches.
.I WHEN
can be one of the following:
.RS
.TP
.B never
No marks.
.TP
.B always
Marks, also in a file.
.RE
.TP
.B \-m \fINUM\fR
.TQ
.B \-\-max\-count=\fINUM\fR
Stop after
.I NUM
lines.
.SH EXAMPLES
Count lines without a word:
.PP
.EX
$ sieve \-\-ignore\-case rain \e
      notes.txt
.EE
.SH SEE ALSO
\-x is of no use
`;
    expect(options(source, ['sieve'])).toEqual([
      '--regexp -e =PATTERN (several)',
      '--ignore-case -i',
      '--color =WHEN? {never,always}',
      '-m NUM',
      '--max-count =NUM',
    ]);
    const page = parseMan(source, ['sieve']);
    expect(page.summary).toBe('keep lines that match');
    expect(page.positionals).toMatchObject([
      { name: 'PATTERN', isRequired: true, isRepeated: false },
      { name: 'FILE', isRequired: false, isRepeated: true },
    ]);
    expect(page.options[0]?.description).toBe('Use this pattern. This option can be given more than once.');
    expect(page.examples).toEqual([
      { description: 'Count lines without a word', line: 'sieve --ignore-case rain notes.txt' },
    ]);
  });

  it('describes examples by their headings, or else by the sentence before them', () => {
    const page = parseMan(
      String.raw`.SH NAME
send \- send files
.SH EXAMPLES
.sp
Example 1: Send all but \(ga\(ga.jpg\(ga\(ga files
.sp
The folder has the files a.txt and b.jpg. Nothing else is there:
.EX
send . \-\-exclude x
.EE
.sp
It was sent. This one sends a.txt and b.txt:
.EX
send a.txt b.txt
.EE
`,
      ['send'],
    );
    expect(page.examples).toEqual([
      { description: 'Send all but .jpg files', line: 'send . --exclude x' },
      { description: 'This one sends a.txt and b.txt', line: 'send a.txt b.txt' },
    ]);
  });

  it('reads pages that are made from DocBook, as those of git are', () => {
    const source = String.raw`.ie \n(.g .ds Aq \(aq
.el       .ds Aq '
.SH "NAME"
vcs-keep \- Keep changes
.SH "SYNOPSIS"
.sp
.nf
\fIvcs keep\fR [\-a | \-\-patch] [\-F <file> | \-m <msg>] [\-\-[no\-]status]
         [(\-\-trailer <token>)\&...] [\-\-] [<path>\&...]
.fi
.sp
.SH "OPTIONS"
.PP
\-a, \-\-all
.RS 4
Take all\&. It\*(Aqs quick\&.
.RE
.PP
\-m <msg>, \-\-message=<msg>
.RS 4
What changed\&. If multiple
\fB\-m\fR
options are given, each is a paragraph\&.
.RE
.PP
\-n, \-\-[no\-]verify
.RS 4
Whether hooks run\&.
.RE
.PP
\-\-since=<date>, \-\-after=<date>
.RS 4
Only later ones\&.
.RE
.PP
\-\-no\-colour, \-\-colour[=<when>]
.RS 4
In colour\&.
.RE
.PP
\-u[<mode>], \-\-unknown[=<mode>]
.RS 4
Show others\&. The possible modes are:
.sp
.RS 4
.ie n \{\
\h'-04'\(bu\h'+03'\c
.\}
.el \{\
.sp -1
.IP \(bu 2.3
.\}
\fIno\fR
\- none of them
.RE
.sp
.RS 4
.ie n \{\
\h'-04'\(bu\h'+03'\c
.\}
.el \{\
.sp -1
.IP \(bu 2.3
.\}
\fIall\fR
\- also in folders
.RE
.RE
.PP
\-<number>, \-n <number>, \-\-max\-count=<number>
.RS 4
At most so many\&.
.RE
`;
    expect(options(source, ['vcs', 'keep'])).toEqual([
      '--all -a',
      '--message -m =msg (several)',
      '--verify -n not --no-verify',
      '--since =date',
      '--after =date',
      '--no-colour',
      '--colour =when?',
      '--unknown -u =mode? {no,all}',
      '--max-count =number',
      // Only the synopsis has these.
      '--patch',
      '-F file',
      '--status not --no-status',
      '--trailer token (several)',
    ]);
    expect(parseMan(source, ['vcs', 'keep']).options[0]?.description).toBe("Take all. It's quick.");
    expect(parseMan(source, ['vcs', 'keep'])).toMatchObject({
      summary: 'Keep changes',
      positionals: [{ name: 'path', isRequired: false, isRepeated: true }],
    });
  });

  it('distinguishes repeatable options from those of which the last one counts', () => {
    const source = String.raw`.SH OPTIONS
.IP "\-H, \-\-header <text/@file>"
A further header.

\fI\-H, \-\-header\fP can be used several times in a command line

Example:
.nf
 fetch -H "A: b" https://example.com
.fi
.IP "\-o, \-\-output <file>"
Where to.

If \fI\-o\fP is provided several times, the last set value will be used.
.IP "\-0, \-\-http1.0"
Old.
`;
    expect(options(source, ['fetch'])).toEqual([
      '--header -H text/@file (several)',
      '--output -o file',
      '--http1.0 -0',
    ]);
  });

  it('reads bullets with options in the text, several in one line', () => {
    const source = String.raw`.SH "INVOKING"
Some options:
.IP "\[ci]" 4
\fB\-\-slurp\fR/\fB\-s\fR:
.IP
All at once\.
.IP "\[ci]" 4
\fB\-\-color\-output\fR / \fB\-C\fR and \fB\-\-monochrome\-output\fR / \fB\-M\fR:
.IP
With colours or without\.
.IP "\[ci]" 4
\fB\-Ldirectory\fR / \fB\-L directory\fR:
.IP
Where modules are\.
.IP "\[ci]" 4
\fB\-\-indent n\fR:
.IP
So many blanks\.
`;
    expect(options(source, ['pick'])).toEqual([
      '--slurp -s',
      '--color-output -C',
      '--monochrome-output -M',
      '-L directory',
      '--indent n',
    ]);
  });

  it('reads pages that are made from reStructuredText, as those of AWS are', () => {
    const source = String.raw`.de1 INDENT
. RS \\$1
. nr rst2man-indent-level +1
..
.de UNINDENT
. RE
.nr rst2man-indent-level -1
..
.TH "LIST-THINGS"  "" ""
.SH NAME
list-things \- 
.SH DESCRIPTION
.sp
Lists the things of a store. There may be many.
.SH SYNOPSIS
.INDENT 0.0
.INDENT 3.5
.sp
.nf
.ft C
  list\-things
\-\-store <value>
[\-\-filters <value>]
[\-\-dry\-run | \-\-no\-dry\-run]
[\-\-max\-items <value>]
.ft P
.fi
.UNINDENT
.UNINDENT
.SH OPTIONS
.sp
\fB\-\-store\fP (string)
.INDENT 0.0
.INDENT 3.5
The name of the store.
.UNINDENT
.UNINDENT
.sp
\fB\-\-filters\fP (list)
.INDENT 0.0
.INDENT 3.5
Which ones.
.INDENT 0.0
.IP \(bu 2
\fBcolour\fP \- The colour.
.UNINDENT
.UNINDENT
.UNINDENT
.sp
Shorthand Syntax:
.INDENT 0.0
.INDENT 3.5
.sp
.nf
.ft C
Name=string,Values=string,string ...
.ft P
.fi
.UNINDENT
.UNINDENT
.sp
\fB\-\-dry\-run\fP | \fB\-\-no\-dry\-run\fP (boolean)
Only looks whether it may.
.sp
\fB\-\-max\-items\fP (integer)
.sp
At most so many.
.SH GLOBAL OPTIONS
.sp
\fB\-\-output\fP (string)
.sp
How the answer is written.
.INDENT 0.0
.IP \(bu 2
json
.IP \(bu 2
text
.UNINDENT
`;
    const command = ['cloud', 'store', 'list-things'];
    expect(options(source, command)).toEqual([
      '--store string (required)',
      '--filters list (several)',
      '--dry-run not --no-dry-run',
      '--max-items integer',
      '--output string {json,text}',
    ]);
    const page = parseMan(source, command);
    expect(page.summary).toBe('Lists the things of a store.');
    expect(page.options.map(({ description }) => description)).toEqual([
      'The name of the store.',
      'Name=string,Values=string,string ...: Which ones.',
      'Only looks whether it may.',
      'At most so many.',
      'How the answer is written.',
    ]);
    expect(page.positionals).toEqual([]);
  });

  it('reads words that are given in several orders, and options with several values in a row', () => {
    const source = (words: string): string => String.raw`.SH SYNOPSIS
.nf
  cp
${words}
[\-\-grants <value> [<value>...]]
.fi
.SH OPTIONS
.sp
\fB\-\-grants\fP (string)
Who may.
`;
    const words = (text: string): string[] =>
      parseMan(source(text), ['cloud', 'cp']).positionals.map(
        ({ name, isRequired }) => `${name}${isRequired ? '' : '?'}`,
      );
    expect(words('<Local> <Uri> or <Uri> <Local> or <Uri> <Uri>')).toEqual(['source', 'destination']);
    expect(words('<Uri> or NONE')).toEqual(['Uri?']);
    expect(options(source('<Uri>'), ['cloud', 'cp'])).toEqual(['--grants string (several)']);
  });

  it('finds subcommands in lists, tags and names of other pages', () => {
    const cloud = String.raw`.SH AVAILABLE SERVICES
.IP \(bu 2
store
.IP \(bu 2
compute\-one
.IP \(bu 2
help
`;
    expect(parseMan(cloud, ['cloud']).commands.map(({ name }) => name)).toEqual(['store', 'compute-one']);
    const control = String.raw`.SH SYNOPSIS
control [OPTIONS...] COMMAND [UNIT...]
.SH COMMANDS
.PP
\fBlist\fR [\fIPATTERN\fR\&...]
.RS 4
List units\&. More about it\&.
.RE
.PP
\fBstart\fR \fIUNIT\fR\&...
.RS 4
Start units\&.
.RE
.PP
This is a sentence\&.
`;
    expect(parseMan(control, ['control']).commands).toEqual([
      { name: 'list', description: 'List units.', details: 'List units. More about it.', usage: '[PATTERN...]' },
      { name: 'start', description: 'Start units.', details: 'Start units.', usage: 'UNIT...' },
    ]);
    const vcs = String.raw`.SH SYNOPSIS
vcs [\-C <path>] <command> [<args>]
.SH "HIGH-LEVEL COMMANDS"
.PP
\fBvcs-add\fR(1)
.RS 4
Add contents\&.
.RE
`;
    expect(parseMan(vcs, ['vcs']).commands).toEqual([
      { name: 'add', description: 'Add contents.', details: 'Add contents.' },
    ]);
    const pager = '.SH SYNOPSIS\npager [FILE]...\n.SH COMMANDS\n.TP\nnext\nShow more.\n';
    expect(parseMan(pager, ['pager']).commands).toEqual([]);
  });

  it('reads a subcommand that is written in two ways, with all its paragraphs', () => {
    const source = String.raw`.SH NAME
rig \- run units
.SH SYNOPSIS
.B rig
[OPTIONS...] COMMAND
.SH COMMANDS
.PP
\fBenable \fR\fB\fIUNIT\fR\fR\fB\&...\fR, \fBenable \fR\fB\fIPATH\fR\fR\fB\&...\fR
.RS 4
Makes links\&.
.sp
Enabling hooks units into places, for example so that they start on boot\&.
.RE
.PP
\fBstop \fR\fB\fIUNIT\fR\fR
.RS 4
Stops it\&.
.RE
`;
    expect(parseMan(source, ['rig']).commands).toEqual([
      {
        name: 'enable',
        description: 'Makes links.',
        details: 'Makes links. Enabling hooks units into places, for example so that they start on boot.',
        usage: 'UNIT...',
      },
      { name: 'stop', description: 'Stops it.', details: 'Stops it.', usage: 'UNIT' },
    ]);
  });
});
