import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { findFact, hasTrait, isKnownToJoin, knowledgeOf, packFolder } from './knowledge.ts';

const folder = join(packFolder(), 'knowledge');
const KEYS =
  /^(?:programs|variables|help|other_values|example|always|options|flags_first|repository|joins_values|rules)$/;
const TARGETS = /^(?:command|flags|words|values)$/;
const FACTS = /^(?:path|risk|pattern|text|name|required|repeatable|omit|asks)$/;

describe('packs/knowledge', () => {
  it.each(readdirSync(folder).filter((name) => name !== 'programs.yaml'))('has only known keys in %s', (name) => {
    const file = load(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(file).filter((key) => !KEYS.test(key))).toEqual([]);
    for (const rule of (file['rules'] ?? []) as Record<string, unknown>[]) {
      const keys = Object.keys(rule);
      expect(keys.filter((key) => !TARGETS.test(key) && !FACTS.test(key))).toEqual([]);
      expect(keys.some((key) => FACTS.test(key))).toBe(true);
      for (const key of keys.filter((one) => TARGETS.test(one) || one === 'pattern'))
        expect(() => new RegExp(String(rule[key]))).not.toThrow();
    }
  });

  it('finds facts by program, command, flags, words and values', () => {
    expect(findFact(['/usr/bin/git', 'add'], 'required', { words: ['pathspec'] })).toBe(false);
    expect(findFact(['git', 'commit'], 'required', { words: ['pathspec'] })).toBeUndefined();
    expect(findFact(['curl'], 'path', { flags: ['--form', '-F'] })).toBe('field');
    expect(findFact(['podman', 'container', 'cp'], 'path', { words: ['SRC'] })).toBe('container');
    expect(findFact(['terraform', 'state', 'pull'], 'asks')).toBe(true);
    expect(findFact(['terraform', 'plan'], 'asks')).toBeUndefined();
    expect(findFact(['made-up'], 'asks')).toBeUndefined();
  });

  it('knows traits by the whole name of a program', () => {
    expect(['python3.12', '/bin/rm', 'mkfs.ext4', 'rmx', 'xrm'].map((name) => hasTrait(name, 'destructive'))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(knowledgeOf('made-up')).toEqual([]);
    expect(isKnownToJoin('usage: made-up')).toBe(false);
  });
});
