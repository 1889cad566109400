import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { dump, load } from 'js-yaml';
import { editSection } from './edit-section.ts';

const add = (text: string, set: Record<string, unknown>): string =>
  editSection(text, 'pegboard.yaml', { section: 'mcpServers', set });
const remove = (text: string, name: string): string =>
  editSection(text, 'pegboard.yaml', { section: 'mcpServers', remove: name });

const BOARD = `# The desk.
name: desk

mcpServers: # others
  # remembers
  memory:
    command: npx
    args: [-y, memory] # pinned later
  # reads files
  files: { command: files }
  # the end of servers

# What may run.
policy:
  deny: [{ risk: destructive }]
`;

describe('editSection', () => {
  it('adds an entry after the others and keeps every other line', () => {
    expect(add(BOARD, { time: { command: 'uvx', args: ['mcp-server-time'] } })).toBe(
      BOARD.replace(
        '  # the end of servers\n',
        '  # the end of servers\n  time:\n    command: uvx\n    args: [mcp-server-time]\n',
      ),
    );
  });

  it('replaces an entry of the same name', () => {
    const text = add(BOARD, { memory: { url: 'https://memory.example.com' } });
    expect(text).not.toContain('[-y, memory]');
    expect(text).toContain('  # reads files\n  files: { command: files }\n');
    expect(text).toContain('  memory:\n    url: https://memory.example.com\n');
  });

  it('removes an entry and keeps the comment above the next one', () => {
    expect(remove(BOARD, 'memory')).toBe(
      BOARD.replace('  memory:\n    command: npx\n    args: [-y, memory] # pinned later\n', ''),
    );
  });

  it('leaves an empty section after removing the last entry', () => {
    expect(remove('name: a\nmcpServers: # mine\n  one:\n    command: a\nlock: deny\n', 'one')).toBe(
      'name: a\nmcpServers: {} # mine\nlock: deny\n',
    );
  });

  it('creates a missing section, even in an empty file', () => {
    expect(add('', { a: { command: 'b' } })).toBe('mcpServers:\n  a:\n    command: b\n');
    expect(add('# hello\n', { a: { command: 'b' } })).toBe('# hello\n\nmcpServers:\n  a:\n    command: b\n');
    expect(add('name: x\n\n\n', { a: { command: 'b' } })).toBe('name: x\n\nmcpServers:\n  a:\n    command: b\n');
  });

  it('fills a section that is empty or in flow style', () => {
    for (const empty of ['mcpServers:', 'mcpServers: {}', 'mcpServers: {}   ']) {
      expect(add(`${empty}\nname: x\n`, { a: { command: 'b' } })).toBe('mcpServers:\n  a:\n    command: b\nname: x\n');
    }
    expect(add('mcpServers: { z: { command: cat } }\n', { a: { command: 'b' } })).toBe(
      'mcpServers:\n  z:\n    command: cat\n  a:\n    command: b\n',
    );
    expect(remove('mcpServers: { z: { command: cat } }\n', 'z')).toBe('mcpServers: {}\n');
  });

  it('appends to a list at any indentation', () => {
    const append = (text: string): string =>
      editSection(text, 'a.yaml', { section: 'tools', append: [{ name: 'two' }] });
    expect(append('tools:\n- name: one\n# next\nlock: deny\n')).toBe(
      'tools:\n- name: one\n- name: two\n# next\nlock: deny\n',
    );
    expect(append('tools:\n    - name: one\n      description: |\n        a\n        # b\n')).toBe(
      'tools:\n    - name: one\n      description: |\n        a\n        # b\n    - name: two\n',
    );
  });

  it('converts a single text to a list', () => {
    const append = (text: string): string => editSection(text, 'a.yaml', { section: 'import', append: ['b.yaml'] });
    expect(append('import: a.yaml\nname: x\n')).toBe('import:\n  - a.yaml\n  - b.yaml\nname: x\n');
    expect(append('import: [a.yaml]\n')).toBe('import:\n  - a.yaml\n  - b.yaml\n');
  });

  it('keeps line ends and indentation', () => {
    expect(add('name: x\r\nmcpServers:\r\n    a:\r\n        command: b\r\n', { c: { command: 'd' } })).toBe(
      'name: x\r\nmcpServers:\r\n    a:\r\n        command: b\r\n    c:\r\n      command: d\r\n',
    );
    expect(add('{\n    "name": "x"\n}\n', { a: { command: 'b' } })).toBe(
      '{\n    "name": "x",\n    "mcpServers": {\n        "a": {\n            "command": "b"\n        }\n    }\n}\n',
    );
  });

  it('refuses changes that would damage the text, and says what to write', () => {
    expect(() => add('mcpServers: {\n  a: { command: b }, # why\n}\n', { c: { command: 'd' } })).toThrow(
      'pegboard.yaml is written in a way that cannot be changed in place, so it was not changed. Put this into it yourself:\nmcpServers:\n  c:\n    command: d',
    );
    expect(() => add('mcpServers: [a]\n', { c: {} })).toThrow('has a mcpServers of another shape');
    expect(() => add('- a\n', { c: {} })).toThrow('is not a mapping');
  });

  it('changes nothing but the section, for any data', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9 #:'"_-]{1,8}$/);
    const entry = fc.record({ command: fc.string(), args: fc.array(fc.string(), { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.dictionary(name, entry, { maxKeys: 4 }), name, entry, (servers, added, value) => {
        const data = { name: 'x', mcpServers: servers, lock: 'deny' };
        const text = dump(data);
        const edited = add(text, { [added]: value });
        expect(load(edited)).toEqual({ ...data, mcpServers: { ...servers, [added]: value } });
        expect(load(remove(edited, added))).toEqual({
          ...data,
          mcpServers: Object.fromEntries(Object.entries(servers).filter(([key]) => key !== added)),
        });
      }),
      { numRuns: 200 },
    );
  });
});
