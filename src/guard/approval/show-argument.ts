import { isPlainObject } from '../../tool/json.ts';
import { createReferenceFinder, referenceOf } from '../../tool/parameters/resolve-reference.ts';
import { quoteText, revealHidden } from '../../tool/texts/reveal-hidden.ts';

/** A value as a person reads it, nothing left out: hidden characters in its texts and keys are spelt out. */
export function showArgument(value: unknown): unknown {
  if (typeof value === 'string') return revealHidden(value);
  if (Array.isArray(value)) return value.map(showArgument);
  if (!isPlainObject(value)) return value;
  const shown = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    let name = revealHidden(key);
    // A key that is spelt as another looks must not take its place.
    while (shown.has(name)) name = quoteText(name);
    shown.set(name, showArgument(item));
  }
  return Object.fromEntries(shown);
}

/** An argument for a question: its name, and its value whole, on one line, texts in quotes. */
export interface WrittenArgument {
  /** The name, and whether the tool's schema does not know it. */
  readonly label: string;
  readonly text: string;
}

/** Writes arguments for a question: those that the schema declares first, in its order, then the others, marked as such. */
export function writeArguments(
  args: Readonly<Record<string, unknown>>,
  declared: readonly string[],
): readonly WrittenArgument[] {
  const known = declared.filter((name) => Object.hasOwn(args, name));
  const others = Object.keys(args).filter((name) => !declared.includes(name));
  return [
    ...known.map((name) => ({ label: writeName(name), text: writeValue(args[name]) })),
    ...others.map((name) => ({ label: `${writeName(name)} (not in its schema)`, text: writeValue(args[name]) })),
  ];
}

/** A value as JSON on one line, hidden characters spelt out; what JSON would leave out is there too. */
export function writeValue(value: unknown): string {
  try {
    return revealHidden(JSON.stringify(value, showRest) ?? 'undefined');
  } catch {
    return '(A VALUE THAT CANNOT BE SHOWN)';
  }
}

/** Code may give values that JSON cannot hold, or empty ones. */
function showRest(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}

function writeName(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : quoteText(name);
}

/** The names of arguments that a schema declares, in its order; those of its parts and alternatives come after its own. */
export function declaredNames(schema: unknown): readonly string[] {
  const find = createReferenceFinder(isPlainObject(schema) ? schema : {});
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (!isPlainObject(part) || seen.has(part)) return;
    seen.add(part);
    if (isPlainObject(part['properties'])) for (const name of Object.keys(part['properties'])) names.add(name);
    const reference = referenceOf(part);
    if (reference !== undefined) visit(find(reference));
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const parts = part[keyword];
      if (Array.isArray(parts)) for (const one of parts) visit(one);
    }
    for (const keyword of ['if', 'then', 'else']) visit(part[keyword]);
    if (isPlainObject(part['dependentSchemas'])) for (const one of Object.values(part['dependentSchemas'])) visit(one);
  };
  visit(schema);
  return [...names];
}
