import { describe, expect, it } from 'vitest';
import { makeTool } from './make-tool.test-helper.ts';
import { compileRules, describeRule } from './rule-list.ts';

const push = makeTool('git_push', { tags: ['git', 'net'], category: 'vcs', risk: 'destructive', source: 'git.yaml' });
const plain = makeTool('plain');

describe('compileRules', () => {
  it.each([
    [{ name: 'git_*' }, true, false],
    [{ name: ['x', 'git_push'] }, true, false],
    [{ tag: 'net' }, true, false],
    [{ tag: 'n*' }, true, false],
    [{ category: 'vcs' }, true, false],
    [{ risk: 'destructive' }, true, false],
    [{ risk: ['read', 'write'] }, false, true],
    [{ source: '*.yaml' }, true, false],
    // A missing property matches nothing, not even a star.
    [{ category: '*' }, true, false],
    [{ tag: '*' }, true, false],
    [{ name: 'git_*', tag: 'net', risk: 'destructive' }, true, false],
    [{ name: 'git_*', tag: 'db' }, false, false],
    [{ name: [] }, false, false],
    [{}, true, true],
    ['git_push', true, false],
    ['*', true, true],
  ])('%j matches the git tool: %s, the plain one: %s', (rule, git, other) => {
    const rules = compileRules([rule]);
    expect([push, plain].map((tool) => rules.find(tool))).toEqual([git ? 0 : undefined, other ? 0 : undefined]);
    expect([push, plain].map((tool) => rules.matches(0, tool))).toEqual([git, other]);
  });

  it('returns the index of the rule', () => {
    expect(compileRules(['a', { tag: 'db' }, { tag: 'git' }, 'b']).find(push)).toBe(2);
    expect(compileRules(['a', 'plain', 'plain']).find(plain)).toBe(1);
  });

  it('does not use inherited names as rules', () => {
    expect(compileRules([]).find(makeTool('constructor'))).toBeUndefined();
  });

  it('looks plain names up instead of testing each', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `tool_${index}`);
    const rules = compileRules(names);
    let reads = 0;
    const counted = names.map((name) => {
      const { metadata, ...rest } = makeTool(name);
      return {
        ...rest,
        inputSchema: {},
        get metadata() {
          reads++;
          return metadata;
        },
      };
    });
    expect(counted.map((tool) => rules.find(tool))).toEqual(names.map((_, index) => index));
    expect(reads).toBe(10_000);
  });
});

describe('describeRule', () => {
  it.each([
    ['git_*', '"git_*"'],
    [{ tag: ['a', 'b'], risk: 'write' }, 'tag "a" or "b" and risk "write"'],
    [{}, 'every tool'],
    [undefined, 'every tool'],
  ])('shows %j', (rule, text) => {
    expect(describeRule(rule)).toBe(text);
  });
});
