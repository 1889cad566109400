import { describe, expect, it } from 'vitest';
import { describeQuestion, findQuestion, repeatedQuestion } from './find-question.ts';

const NONE = { stdout: '', stderr: '' };

describe('findQuestion', () => {
  it.for([
    ['apt', { stdout: 'Reading…\nDo you want to continue? [Y/n] Abort.\n' }, 'Do you want to continue? [Y/n]'],
    ['an open line', { stdout: 'Your name: ', stderr: 'EOFError: EOF when reading a line\n' }, 'Your name:'],
    ['pip', { stdout: 'Would remove:\n  x\nProceed (Y/n)? ERROR: Exception:\n' }, 'Proceed (Y/n)?'],
    [
      'ssh',
      { stderr: 'Are you sure you want to continue connecting (yes/no/[fingerprint])? ' },
      'Are you sure you want to continue connecting (yes/no/[fingerprint])?',
    ],
    ['a password', { stderr: 'Password: Traceback …\ntermios.error: Inappropriate ioctl for device\n' }, 'Password:'],
    ['a line written over', { stderr: 'Loading\rReplace it? ' }, 'Replace it?'],
  ] as const)('finds the question of %s before it failed', ([, printed, text]) => {
    expect(findQuestion({ ...NONE, ...printed }, true)).toEqual({ text, isAsked: true });
  });

  it.for([
    "fatal: could not read Username for 'https://example.com': No such device or address",
    'sudo: a terminal is required to read the password; either use the -S option',
    'Host key verification failed.',
    'the input device is not a TTY',
  ])('reports a missing terminal: %s', (line) => {
    expect(findQuestion({ stdout: '', stderr: `Cloning…\n${line}\n` }, true)).toEqual({ text: line, isAsked: false });
  });

  it.for([
    'error: pathspec: no match\n',
    'usage: tool [--confirm [y/n]] FILE\n',
    'Pseudo-terminal will not be allocated because stdin is not a terminal.\nConnection refused\n',
    'psql: error: FATAL: password authentication failed for user "ada"\n',
    'Is this fine? It is not.\n',
    '',
  ])('finds none in the failure %j', (stderr) => {
    expect(findQuestion({ stdout: '', stderr }, true)).toBeUndefined();
  });

  it('finds an open question of a success on stderr, and a choice on stdout', () => {
    expect(findQuestion({ stdout: '', stderr: "rm: remove regular file 'a'? " }, false)?.text).toBe(
      "rm: remove regular file 'a'?",
    );
    expect(findQuestion({ stdout: 'Overwrite? (y/N) ', stderr: '' }, false)?.text).toBe('Overwrite? (y/N)');
    for (const stdout of ['Total: ', 'Why? ', 'a) b) ', 'Continue? [y/N]\n']) {
      expect(findQuestion({ stdout, stderr: 'note: ' }, false)).toBeUndefined();
    }
  });

  it('finishes on hostile texts', () => {
    for (const part of ['(y/', '[y/n', 'password ', '? [', 'please enter ', '/dev/', ' ']) {
      const text = part.repeat(10_000 / part.length);
      expect(findQuestion({ stdout: text, stderr: text }, true)?.text.length ?? 0).toBeLessThan(500);
      expect(repeatedQuestion({ stdout: text, stderr: text })?.length ?? 0).toBeLessThan(500);
    }
  });
});

describe('repeatedQuestion', () => {
  it('returns a repeated question', () => {
    expect(repeatedQuestion({ ...NONE, stdout: 'Go on? [y/N] Please answer y or n.\n'.repeat(9) })).toBe(
      'Go on? [y/N]',
    );
    expect(repeatedQuestion({ ...NONE, stdout: 'Go on? '.repeat(9) })).toBe('Go on?');
    expect(repeatedQuestion({ ...NONE, stdout: 'ready\n'.repeat(99) })).toBeUndefined();
    expect(repeatedQuestion({ ...NONE, stdout: 'One? Two? Three?' })).toBeUndefined();
  });
});

describe('describeQuestion', () => {
  it('says what to do, and shows hidden characters', () => {
    expect(describeQuestion({ text: 'Go on?\u202E', isAsked: true })).toBe(
      String.raw`[It asked "Go on?\u202e" and got no answer; commands run without a terminal. Give the answer with the call: an option like --yes, or its standard input, where the tool has an argument for that (stdin: true).]`,
    );
    expect(describeQuestion({ text: 'Password for ada:', isAsked: true })).toContain('Its credentials must be where');
  });
});
