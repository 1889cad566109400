import { type Field, isMark } from './form-field.ts';

/** What was typed into a form so far: texts, lists and groups of them, or one of several variants. */
export type Draft =
  | string
  | readonly Draft[]
  | { readonly members: Readonly<Record<string, Draft>> }
  | { readonly variant: number; readonly draft: Draft };

/** A form with nothing in it. */
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

/** The value that was typed; `undefined` for nothing. What cannot be read stays text, and the board says what is wrong. */
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

/** A form filled with a value; what does not fit a field is left out of it. */
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

/** Tells a list from the other shapes a draft has. */
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

/** An entry of a list that was added and left empty is there all the same. */
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

/** A member that is there, or need not be; one that can have one value only has to have it. */
function fitsMember(member: Field, value: unknown): boolean {
  if (member.kind === 'enum' && isMark(member)) return JSON.stringify(member.values[0]) === JSON.stringify(value);
  return !member.isRequired || value !== undefined;
}
