import { expect, it } from 'vitest';
import { emptyPage } from '../command-page.ts';
import { parseMan } from '../man/parse-man.ts';
import { toUtterances } from './to-tool-examples.ts';

const tool = { name: 't', type: 'cli', description: 'Enable units.', command: 't' } as const;

it('takes user requests from headings of examples and purposes, each once', () => {
  const page = {
    ...emptyPage(['git', 'reset']),
    purposes: [
      'Undo a commit and redo',
      'Undo a commit and redo.',
      'But look what happens then',
      'Delete a pod',
      'short',
    ],
    details:
      'Hooks it into places (for example, so that the unit is automatically started on boot or later). It is fine.',
  };
  const examples = [{ description: 'Delete a pod', input: {} }];
  expect(toUtterances(page, { ...tool, examples })).toEqual([
    'Undo a commit and redo',
    'the unit is automatically started on boot or later',
  ]);
});

it('reads the headings of examples from a manual page', () => {
  const source = `.TH X 1\n.SH NAME\nx \\- do it\n.SH EXAMPLES\n.PP\nUndo a commit and redo\n.RS 4\n.nf\n$ x \\-\\-soft\n.fi\n.RE\n.TP\nComparing branches\nShows them.\n`;
  expect(parseMan(source, ['x']).purposes).toContain('Comparing branches');
});
