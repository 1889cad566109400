import { parseArguments } from '../../tool/input-limits.ts';
import { isOfType } from '../../tool/schema/compile/expected-type.ts';
import { isPlainObject, jsonEqual } from '../../tool/json.ts';
import { asNode, nodeList, ownNode, type SchemaNode, stringList, typeList } from '../../tool/parameters/schema-node.ts';

/** The steps that restore the arguments at one place; `undefined` if nothing was changed. */
export type Undo =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, UndoField> }
  | { readonly kind: 'array'; readonly prefix: readonly (Undo | undefined)[]; readonly items: Undo | undefined }
  | { readonly kind: 'choice'; readonly branches: readonly UndoBranch[] }
  | { readonly kind: 'text'; readonly holds: 'object' | 'array' | 'value' }
  | { readonly kind: 'values'; readonly values: ReadonlyMap<string, unknown> }
  | { readonly kind: 'ref'; readonly reference: string }
  | { readonly kind: 'wrapped'; readonly key: string };

/** One argument: its original name, and true if `null` means that it is omitted. */
export interface UndoField {
  readonly key: string;
  readonly dropNull: boolean;
  readonly undo: Undo | undefined;
}

/** One alternative as the provider sees it. */
export interface UndoBranch {
  readonly schema: SchemaNode;
  readonly undo: Undo | undefined;
}

const MAX_DEPTH = 256;

/** Restores a call's arguments for the tool's own schema. Leaves unrecognized values unchanged. */
export function restoreInput(
  input: unknown,
  plan: Undo | undefined,
  definitions: ReadonlyMap<string, UndoBranch>,
): unknown {
  const restore = (value: unknown, undo: Undo | undefined, depth: number): unknown => {
    if (undo === undefined || depth > MAX_DEPTH || value === null) return value;
    switch (undo.kind) {
      case 'object':
        return isPlainObject(value) ? restoreFields(value, undo.fields, depth) : value;
      case 'array':
        if (!Array.isArray(value)) return value;
        return value.map((item, index) => {
          return restore(item, index < undo.prefix.length ? undo.prefix[index] : undo.items, depth + 1);
        });
      case 'choice':
        return restore(value, chooseBranch(value, undo.branches)?.undo, depth + 1);
      case 'text':
        return readText(value, undo.holds);
      case 'values':
        return typeof value === 'string' && undo.values.has(value) ? undo.values.get(value) : value;
      case 'ref':
        return restore(value, definitions.get(undo.reference)?.undo, depth + 1);
      case 'wrapped':
        return isPlainObject(value) && Object.hasOwn(value, undo.key) ? readText(value[undo.key], 'object') : value;
      default:
        return undo satisfies never;
    }
  };
  const restoreFields = (value: Record<string, unknown>, fields: ReadonlyMap<string, UndoField>, depth: number) =>
    Object.fromEntries(
      Object.entries(value).flatMap(([providerKey, inner]) => {
        const field = fields.get(providerKey);
        if (field === undefined) return [[providerKey, inner]];
        if (inner === null && field.dropNull) return [];
        return [[field.key, restore(inner, field.undo, depth + 1)]];
      }),
    );
  const chooseBranch = (value: unknown, branches: readonly UndoBranch[]) =>
    branches.find(({ undo }) => undo?.kind === 'text' && readText(value, undo.holds) !== value) ??
    branches.find(({ schema, undo }) => undo?.kind !== 'text' && fitsSchema(value, schema, definitions));
  return restore(input, plan, 0);
}

function readText(value: unknown, holds: 'object' | 'array' | 'value'): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed = parseArguments(value);
    if (holds === 'object') return isPlainObject(parsed) ? parsed : value;
    return holds === 'value' || Array.isArray(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

const MAX_SCHEMA_DEPTH = 64;
const MAX_STEPS = 50_000;

/** True when a value has the shape of an exported schema: enough to distinguish alternatives, not a validation. */
function fitsSchema(
  value: unknown,
  schema: SchemaNode,
  definitions: ReadonlyMap<string, { readonly schema: SchemaNode }>,
): boolean {
  return fitsAt(value, schema, { definitions, depth: 0, budget: { left: MAX_STEPS } });
}

interface Fitting {
  readonly definitions: ReadonlyMap<string, { readonly schema: SchemaNode }>;
  readonly depth: number;
  /** Steps left before a schema that branches endlessly counts as not matching. */
  readonly budget: { left: number };
}

function fitsAt(value: unknown, schema: SchemaNode, { definitions, depth, budget }: Fitting): boolean {
  budget.left -= 1;
  if (depth > MAX_SCHEMA_DEPTH || budget.left < 0) return false;
  const fits = (inner: unknown, node: unknown) =>
    fitsAt(inner, asNode(node), { definitions, depth: depth + 1, budget });
  if (value === null && schema['nullable'] === true) return true;
  if (typeof schema['$ref'] === 'string') return fits(value, definitions.get(schema['$ref'])?.schema);
  if (Array.isArray(schema['anyOf'])) return nodeList(schema['anyOf']).some((branch) => fits(value, branch));
  const types = typeList(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].some((one) => jsonEqual(one, value))) return false;
  if (Array.isArray(value)) return value.every((item) => fits(item, schema['items']));
  if (!isPlainObject(value)) return true;
  if (!stringList(schema['required']).every((key) => Object.hasOwn(value, key))) return false;
  return Object.entries(value).every(([key, inner]) => {
    const property = ownNode(schema['properties'], key);
    return property === undefined ? false : fits(inner, property);
  });
}

/** The shared definitions of one exported schema, created on first use. */
interface Definitions {
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
