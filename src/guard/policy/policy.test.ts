import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTool } from './make-tool.test-helper.ts';
import { createPolicy } from './policy.ts';
import type { ToolPaths } from './tool-paths.ts';

const log = makeTool('git_log', { risk: 'read', tags: ['git'] });
const push = makeTool('git_push', { risk: 'destructive', tags: ['git'] });
const note = makeTool('note');
const tools = [log, push, note];

/** The names of the tools a policy allows. */
function allowed(...given: Parameters<typeof createPolicy>): string[] {
  const policy = createPolicy(...given);
  return tools.filter((tool) => policy.allows(tool).ok).map(({ metadata }) => metadata.name);
}

describe('allows', () => {
  it.each([
    [{}, ['git_log', 'git_push', 'note']],
    [{ default: 'disabled' }, []],
    [{ default: 'disabled', tools: { note: {} } }, ['note']],
    [{ default: 'disabled', tools: { note: null } }, ['note']],
    [{ default: 'disabled', allow: ['git_*'] }, ['git_log', 'git_push']],
    [{ default: 'disabled', allow: [{ risk: 'read' }], tools: { note: {} } }, ['git_log', 'note']],
    [{ allow: ['git_*'] }, ['git_log', 'git_push']],
    [{ allow: [] }, []],
    [{ default: 'enabled', allow: ['git_*'] }, ['git_log', 'git_push', 'note']],
    [{ deny: [{ risk: 'destructive' }] }, ['git_log', 'note']],
    [{ allow: ['*'], deny: ['git_push'], tools: { git_push: {} } }, ['git_log', 'note']],
    [{ deny: [{}] }, []],
  ])('%j leaves %j', (section, names) => {
    expect(allowed(section)).toEqual(names);
  });

  it('treats a CLImax policy file as disabled unless it says otherwise', () => {
    expect(allowed({ tools: { git_log: {} } }, { default: 'disabled' })).toEqual(['git_log']);
    expect(allowed({ default: 'enabled' }, { default: 'disabled' })).toHaveLength(3);
  });

  it('names the rule that forbids a tool', () => {
    const section = { deny: ['x', { tag: 'git', risk: ['write', 'destructive'] }] };
    expect(createPolicy(section).allows(push)).toEqual({
      ok: false,
      reason: 'the rule deny[1] (tag "git" and risk "write" or "destructive") forbids it',
      rule: 1,
    });
    expect(createPolicy({ default: 'disabled' }).allows(push)).toEqual({
      ok: false,
      reason: 'it is not among the tools that the policy enables',
    });
  });

  it('finds no tool by an inherited name', () => {
    expect(createPolicy({ default: 'disabled', tools: {} }).allows(makeTool('constructor')).ok).toBe(false);
  });
});

describe('the description', () => {
  it('returns the description of the policy, or none', () => {
    const policy = createPolicy({ tools: { note: { description: 'Take a note.' }, git_log: { description: null } } });
    expect(tools.map((tool) => policy.describe(tool))).toEqual([undefined, undefined, 'Take a note.']);
    expect(createPolicy({ tools: { note: { description: ' ' } } }).describe(note)).toBeUndefined();
    expect(policy.describe(makeTool('toString'))).toBeUndefined();
  });
});

describe('check', () => {
  it('combines limits and roots', () => {
    const base = mkdtempSync(join(tmpdir(), 'pegboard-policy-'));
    const section = { tools: { note: { args: { file: { max_length: 8 } } } }, roots: ['.'] };
    const options = { base, pathsOf: () => ({ names: ['file'], folders: () => [base] }) };
    try {
      const policy = createPolicy(section, options);
      expect(policy.check(note, { file: 'a' })).toEqual([]);
      expect(policy.check(note, { file: '/etc/passwd' }).map(({ message }) => message)).toEqual([
        'must be at most 8 characters long under the policy; got "/etc/passwd"',
        'must lie in an allowed folder ("."); got "/etc/passwd"',
      ]);
      expect(policy.check(log, { file: '/etc/passwd' })).toHaveLength(1);
      const pathsOf = (): ToolPaths => ({ names: ['file'], folders: ({ cwd }) => [String(cwd)] });
      const elsewhere = createPolicy(section, { base, pathsOf });
      expect(elsewhere.check(log, { file: 'a', cwd: '/etc' })).toHaveLength(1);
    } finally {
      rmSync(base, { recursive: true });
    }
  });

  it('checks no paths without roots', () => {
    const pathsOf = (): ToolPaths => ({ names: ['file'], folders: () => ['/'] });
    expect(createPolicy({}, { pathsOf }).check(note, { file: '/etc' })).toEqual([]);
  });
});

describe('needsApproval', () => {
  it.each([
    ['none', [false, false, false]],
    ['destructive', [false, true, false]],
    ['write', [false, true, true]],
    ['all', [true, true, true]],
  ] as const)('at %s', (global, expected) => {
    const policy = createPolicy({ approval: { global } });
    expect(tools.map((tool) => policy.needsApproval(tool, {}))).toEqual(expected);
  });

  it('applies to calls that write if a policy does not say', () => {
    expect(tools.map((tool) => createPolicy({}).needsApproval(tool, {}))).toEqual([false, true, true]);
  });

  it.each([
    [{ tools: { note: { require_approval: false } } }, false],
    [{ tools: { note: { require_approval: true } }, approval: { global: 'none' } }, true],
    [{ approval: { global: 'all', tools: { note: false } } }, false],
    [{ approval: { global: 'all', tools: { note: 'destructive' } } }, false],
    [{ approval: { global: 'none', tools: { note: 'write' } } }, true],
    [{ approval: { global: 'none', tools: { note: true } }, tools: { note: { require_approval: false } } }, true],
    [{ approval: { global: 'none', tools: { constructor: true } } }, false],
  ])('of a writing tool under %j: %s', (section, expected) => {
    expect(createPolicy(section).needsApproval(note, {})).toBe(expected);
  });

  it('denies when no one can be asked, by default', () => {
    expect(createPolicy({}).headless).toBe('deny');
    expect(createPolicy({ approval: { headless: 'approve' } }).headless).toBe('approve');
  });
});
