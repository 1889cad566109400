import { describe, expect, test } from 'vitest';
import { describeTool, shorten } from './describe-tool.ts';

describe('describeTool', () => {
  test('leaves a plain description unchanged', () => {
    expect(describeTool({ name: 'x', description: 'Reads a file' })).toBe('Reads a file');
  });

  test("names the replacement of a deprecated tool, by the provider's name", () => {
    const metadata = { name: 'x', description: 'Reads a file.', deprecated: true, replacedBy: 'fs.read' };
    expect(describeTool(metadata)).toBe('Deprecated: use "fs.read" instead. Reads a file.');
    expect(describeTool(metadata, { providerName: () => 'fs_read' })).toBe(
      'Deprecated: use "fs_read" instead. Reads a file.',
    );
    expect(describeTool({ name: 'x', description: 'Reads.', deprecated: true })).toBe('Deprecated. Reads.');
  });

  test('appends notes, limitations and remarks as sentences', () => {
    const metadata = {
      name: 'x',
      description: 'Reads a file',
      usageNotes: 'Paths are relative',
      limitations: ['no folders.', 'UTF-8 only'],
    };
    expect(describeTool(metadata, { remarks: ['Send one.'] })).toBe(
      'Reads a file. Paths are relative. Limitations: no folders; UTF-8 only. Send one.',
    );
    expect(describeTool(metadata, { notes: false })).toBe('Reads a file');
  });
});

describe('shorten', () => {
  test('cuts at a word and marks the cut', () => {
    expect(shorten('one two three four', 14)).toBe('one two three…');
    expect(shorten('one two', 7)).toBe('one two');
  });

  test('never splits a surrogate pair', () => {
    expect(shorten('aaaaaa👍👍👍', 8)).toBe('aaaaaa…');
  });
});
