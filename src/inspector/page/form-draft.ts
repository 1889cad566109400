import { type Field, isMark } from './form-field.ts';

/** The contents of a form: texts, lists and groups of them, or one of several variants. */
export type Draft =
  | string
  | readonly Draft[]
  | { readonly members: Readonly<Record<string, Draft>> }
  | { readonly variant: number; readonly draft: Draft };

/** Creates an empty form. */
export function emptyDraft(field: Field): Draft {
  switch (field.kind) {
    case 'list':
      return [];
    case 'group':
      return { members: {} };
    case 'variants':
      return { variant: 0, draft: field.variants[0] === undefined ? '' : emptyDraft(field.variants[0]) };
    default:
      return '';
  }
}

/** Converts the contents to a value; `undefined` if empty. Invalid input stays text, which the board rejects with a reason. */
export function toValue(field: Field, draft: Draft): unknown {
  if (typeof draft === 'string') return readText(field, draft);
  if (field.kind === 'list' && isList(draft)) {
    const items = draft.map((item) => toValue(field.item, item) ?? emptyOf(field.item));
    return items.length === 0 && !field.isRequired ? undefined : items;
  }
  if (field.kind === 'group' && 'members' in draft) {
    const entries = [...field.fields].flatMap(([name, member]) => {
      const value = toValue(member, draft.members[name] ?? emptyDraft(member));
      return value === undefined ? [] : [[name, value] as const];
    });
    return entries.length === 0 && !field.isRequired ? undefined : Object.fromEntries(entries);
  }
  if (field.kind === 'variants' && 'variant' in draft) {
    const chosen = field.variants[draft.variant];
    return chosen === undefined ? undefined : toValue({ ...chosen, isRequired: field.isRequired }, draft.draft);
  }
  return undefined;
}

/** Fills a form with a value; skips what does not match a field. */
export function toDraft(field: Field, value: unknown): Draft {
  if (value === undefined) return emptyDraft(field);
  switch (field.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((item) => toDraft(field.item, item)) : [];
    case 'group': {
      if (typeof value !== 'object' || value === null) return { members: {} };
      const given = new Map<string, unknown>(Object.entries(value));
      const members = [...field.fields].map(([name, member]) => [name, toDraft(member, given.get(name))]);
      return { members: Object.fromEntries(members) };
    }
    case 'variants': {
      const fitting = field.variants.findIndex((option) => fits(option, value));
      const variant = Math.max(0, fitting);
      const chosen = field.variants[variant];
      return { variant, draft: chosen === undefined ? '' : toDraft(chosen, value) };
    }
    case 'enum':
      return String(field.values.findIndex((known) => JSON.stringify(known) === JSON.stringify(value)));
    case 'json':
      return JSON.stringify(value, undefined, 2);
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** Returns true for a list. */
export function isList(draft: Draft): draft is readonly Draft[] {
  return Array.isArray(draft);
}

function readText(field: Field, text: string): unknown {
  if (field.kind === 'enum' && isMark(field)) return field.values[0];
  if (text.trim() === '') return undefined;
  switch (field.kind) {
    case 'text':
    case 'password':
      return text;
    case 'number':
      return Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      return text === 'true';
    case 'enum':
      return field.values[Number(text)];
    default:
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
  }
}

/** Returns the value of an empty list entry, which still counts as an entry. */
function emptyOf(field: Field): unknown {
  if (field.kind === 'text' || field.kind === 'password') return '';
  return field.kind === 'list' ? [] : field.kind === 'group' ? {} : null;
}

function fits(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'text':
    case 'password':
      return typeof value === 'string';
    case 'number':
    case 'boolean':
      return typeof value === field.kind;
    case 'list':
      return Array.isArray(value);
    case 'group':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        [...field.fields].every(([name, member]) =>
          fitsMember(member, Object.getOwnPropertyDescriptor(value, name)?.value),
        )
      );
    case 'enum':
      return field.values.includes(value);
    case 'variants':
      return field.variants.some((option) => fits(option, value));
    case 'json':
      return true;
  }
}

/** Returns true when a member is present or optional. A member with a single allowed value must have that value. */
function fitsMember(member: Field, value: unknown): boolean {
  if (member.kind === 'enum' && isMark(member)) return JSON.stringify(member.values[0]) === JSON.stringify(value);
  return !member.isRequired || value !== undefined;
}
