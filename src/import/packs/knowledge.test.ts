import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { findFact, hasTrait, isKnownToJoin, knowledgeOf, matches, matching, packFolder } from './knowledge.ts';

const folder = join(packFolder(), 'knowledge');
const KEYS =
  /^(?:programs|variables|help|other_values|example|always|options|flags_first|repository|joins_values|rules)$/;
const TARGETS = /^(?:command|flags|words|values)$/;
const FACTS = /^(?:path|risk|pattern|text|name|required|repeatable|omit|asks)$/;

describe('packs/knowledge', () => {
  it.each(readdirSync(folder).filter((name) => !['programs.yaml', 'words.yaml'].includes(name)))(
    'has only known keys in %s',
    (name) => {
      const file = load(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
      expect(Object.keys(file).filter((key) => !KEYS.test(key))).toEqual([]);
      for (const rule of (file['rules'] ?? []) as Record<string, unknown>[]) {
        const keys = Object.keys(rule);
        expect(keys.filter((key) => !TARGETS.test(key) && !FACTS.test(key))).toEqual([]);
        expect(keys.some((key) => FACTS.test(key))).toBe(true);
        for (const key of keys.filter((one) => TARGETS.test(one) || one === 'pattern'))
          expect(() => new RegExp(String(rule[key]))).not.toThrow();
      }
    },
  );

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

  it('has each pattern that the importers use, under one name, and no other', () => {
    const sections = load(readFileSync(join(folder, 'words.yaml'), 'utf8')) as Record<string, Record<string, unknown>>;
    expect(Object.keys(sections)).toEqual(['names', 'values', 'texts', 'cased_texts']);
    const names = Object.values(sections).flatMap((section) => Object.keys(section));
    const sources = globSync(join(import.meta.dirname, '../**/*.ts')).filter((file) => !file.includes('.test'));
    const used = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bmatch(?:er|ed|es|ing)\('(\w+)'[,)]/g)].map(([, name = '']) => name),
    );
    expect(names.toSorted()).toEqual([...new Set(used)].toSorted());
    expect(matches('denial', 'Do not follow links')).toBe(true);
    expect(() => matching('made_up')).toThrow('packs/knowledge/words.yaml has no pattern "made_up".');
  });
});
