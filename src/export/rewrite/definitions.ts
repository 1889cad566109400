import type { Undo, UndoBranch } from './restore-input.ts';
import type { SchemaNode } from '../../tool/parameters/schema-node.ts';

/** The shared definitions of one exported schema, created on first use. */
export interface Definitions {
  readonly size: number;
  /** Returns the `$ref` under which a definition is exported. */
  keep(reference: string): string;
  /** Creates every definition that was kept, and those they reference in turn. */
  finish(
    make: (reference: string, name: string) => { readonly schema: SchemaNode; readonly undo: Undo | undefined },
  ): void;
  set(reference: string, made: UndoBranch): void;
  schemas(): Record<string, SchemaNode>;
  /** Returns every definition by its original reference and by its exported one. */
  plan(): ReadonlyMap<string, UndoBranch>;
}

export function createDefinitions(): Definitions {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const made = new Map<string, UndoBranch>();
  const pending: string[] = [];
  return {
    get size() {
      return names.size;
    },
    keep: (reference) => {
      if (reference === '#') return '#';
      const known = names.get(reference) ?? freeName(reference, taken);
      if (!names.has(reference)) pending.push(reference);
      names.set(reference, known);
      taken.add(known);
      return `#/$defs/${known}`;
    },
    finish: (make) => {
      for (let reference = pending.shift(); reference !== undefined; reference = pending.shift()) {
        made.set(reference, make(reference, names.get(reference) ?? reference));
      }
    },
    set: (reference, branch) => {
      made.set(reference, branch);
    },
    schemas: () => Object.fromEntries([...names].map(([reference, name]) => [name, made.get(reference)?.schema ?? {}])),
    plan: () =>
      new Map([...made, ...[...names].flatMap(([reference, name]) => entry(`#/$defs/${name}`, made.get(reference)))]),
  };
}

function entry(key: string, branch: UndoBranch | undefined): [string, UndoBranch][] {
  return branch === undefined ? [] : [[key, branch]];
}

function freeName(reference: string, taken: ReadonlySet<string>): string {
  const base =
    reference
      .split(/[/#]/)
      .at(-1)
      ?.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'definition';
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  return name;
}
