import type { ToolWords } from '../../../tool/server-words.ts';
import { rankParameters } from '../../../tool/parameters/describe-parameters.ts';
import { allParameters, type Parameter, readVariants, type Variant } from '../../../tool/parameters/read-variants.ts';
import { readInputSchema } from '../../indexed-tool.ts';
import { estimateTokens } from '../../tokens/estimate-tokens.ts';
import { isPlainObject, type JsonSchema } from '../../../tool/json.ts';
import { createReferenceFinder, type FindReference, without } from '../../../tool/parameters/schema-node.ts';
import { isImpossible } from '../../../tool/parameters/merge-nodes.ts';

const FULL: TypeStyle = { depth: 6, values: 60 };
const BRIEF: readonly TypeStyle[] = [
  { depth: 2, values: 6 },
  { depth: 1, values: 4 },
  { depth: 0, values: 3 },
];

/** Writes the full signature of a tool: `git_log(path: string, limit?: integer = 20)`. */
export function writeSignature(tool: ToolWords): string {
  return `${tool.metadata.name}(${writeParameters(readInputSchema(tool), FULL).join(', ')})`;
}

/**
 * Writes the signature of a tool within a number of tokens: shortens types first, then counts optional parameters
 * instead of naming them. Of very many, it keeps those that `wanted`, a query, and the examples make likely.
 */
export function writeBriefSignature(tool: ToolWords, tokens: number, wanted?: string): string {
  const { name } = tool.metadata;
  const schema = readInputSchema(tool);
  let written = '';
  for (const style of BRIEF) {
    written = `${name}(${writeParameters(schema, style).join(', ')})`;
    if (estimateTokens(written) <= tokens) return written;
  }
  const parameters = writeParameters(schema, { depth: 0, values: 3 });
  return dropParameters(name, orderByUse(tool, parameters, wanted), tokens);
}

/** Orders written parameters by the likelihood that a call uses them. */
function orderByUse(tool: ToolWords, written: readonly string[], wanted: string | undefined): readonly string[] {
  const all = allParameters(readVariants(readInputSchema(tool)));
  // Alternative sets of parameters are one text.
  if (written.length < all.length) return written;
  const texts = new Map(all.map((parameter, place) => [parameter, written[place] ?? '']));
  const ranked = rankParameters(all, { examples: tool.metadata.examples, wanted });
  return [...ranked.map((parameter) => texts.get(parameter) ?? ''), ...written.slice(all.length)];
}

/** Drops optional parameters first, starting with the last; then types, then required ones. */
function dropParameters(name: string, parameters: readonly string[], tokens: number): string {
  const isOptional = (parameter: string): boolean => /^[^:]*\?:/.test(parameter);
  let left = parameters.map((text) => ({ text, isOptional: isOptional(text) }));
  const write = (): string => {
    const missing = parameters.length - left.length;
    return `${name}(${[...left.map(({ text }) => text), ...(missing > 0 ? [`…${missing} more`] : [])].join(', ')})`;
  };
  const fits = (): boolean => estimateTokens(write()) <= tokens;
  while (!fits() && left.some((one) => one.isOptional)) {
    const last = left.findLastIndex((one) => one.isOptional);
    left = left.toSpliced(last, 1);
  }
  if (!fits()) left = left.map((one) => ({ ...one, text: one.text.replace(/^("(?:[^"\\]|\\.)*"|[^:]*):.*$/s, '$1') }));
  while (!fits() && left.length > 0) left = left.slice(0, -1);
  return write();
}

/** The amount of a type that is written. */
interface TypeStyle {
  /** Levels of objects whose fields are written; deeper ones are `{…}`. */
  readonly depth: number;
  /** Values of an enum that are written. */
  readonly values: number;
}

/** The writer's context: the resolver of references, the open ones, and those that refer to themselves. */
interface Place extends TypeStyle {
  readonly find: FindReference;
  readonly open: readonly string[];
  readonly recursive: Set<string>;
}

const MAX_LITERAL = 40;
const MAX_STEPS = 40;

/** Writes a JSON Schema as a short type: `{ field: string, op?: "eq"|"lt" = "eq" }[]`. References are followed, loops are not. */
export function writeType(schema: unknown, root: JsonSchema, style: TypeStyle): string {
  return write(schema, { ...style, find: createReferenceFinder(root), open: [], recursive: new Set() });
}

/** Writes the parameters of a tool as they appear between parentheses: one text for each, or one for a choice of sets. */
export function writeParameters(schema: JsonSchema, style: TypeStyle): string[] {
  const find = createReferenceFinder(schema);
  const place = { ...style, find, open: ['#'], recursive: new Set<string>() };
  const variants = readVariants(schema, find);
  const [first] = variants;
  if (first === undefined) return [];
  // Alternatives that only change which parameters are required are left to validation.
  const all = allParameters(variants);
  const isOne = variants.every(
    ({ parameters }) =>
      parameters.length === all.length && parameters.every((one, index) => one.schema === all[index]?.schema),
  );
  if (isOne) return fieldsOf({ ...first, parameters: all }, place);
  return [unite(variants.map((variant) => enclosed(fieldsOf(variant, place))))];
}

function write(schema: unknown, place: Place): string {
  if (schema === false) return 'never';
  if (!isPlainObject(schema) || place.open.length > MAX_STEPS) return 'any';
  if (isImpossible(schema)) return 'never';
  const { $ref, enum: values } = schema;
  if (typeof $ref === 'string') return writeReference($ref, place);
  if (Array.isArray(values)) return writeEnum(values, place.values);
  if ('const' in schema) return writeLiteral(schema['const']);
  const parts = [writeOwn(schema, place), writeBranches(schema, place)].filter((part) => part !== undefined);
  const written = parts.length > 1 ? parts.map(enclose).join(' & ') : (parts[0] ?? 'any');
  return schema['nullable'] === true && !/\bnull$/.test(written) ? `${written}|null` : written;
}

/** Writes the type that a schema states itself, without its alternatives. */
function writeOwn(schema: JsonSchema, place: Place): string | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return unite(type.map((one) => writeTyped(one, schema, place)));
  if (typeof type === 'string') {
    const isBare = type === 'object' && isEmpty(ownFields(schema, place));
    // `type: object` beside alternatives that are objects adds nothing.
    return isBare && branchesOf(schema).some((branch) => 'properties' in branch || '$ref' in branch)
      ? undefined
      : writeTyped(type, schema, place);
  }
  if ('properties' in schema || 'additionalProperties' in schema || 'allOf' in schema)
    return writeTyped('object', schema, place);
  return 'items' in schema || 'prefixItems' in schema ? writeTyped('array', schema, place) : undefined;
}

function writeTyped(type: unknown, schema: JsonSchema, place: Place): string {
  switch (type) {
    case 'array':
      return writeArray(schema, place);
    case 'object':
      return writeObject(schema, place);
    default:
      return typeof type === 'string' ? type : 'any';
  }
}

function branchesOf(schema: JsonSchema): Record<string, unknown>[] {
  const branches = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(branches) ? branches.filter(isPlainObject) : [];
}

/** Writes alternatives, except those that only say which fields are required, which are left to validation. */
function writeBranches(schema: JsonSchema, place: Place): string | undefined {
  const typed = branchesOf(schema).filter((branch) =>
    ['type', '$ref', 'enum', 'const', 'properties', 'items', 'anyOf', 'oneOf', 'allOf'].some((key) => key in branch),
  );
  return typed.length === 0 ? undefined : unite(typed.map((branch) => write(branch, place)));
}

function writeReference(reference: string, place: Place): string {
  const name = reference === '#' ? 'Self' : (reference.split(/[/#]/).at(-1) ?? 'Self');
  if (place.open.includes(reference)) {
    place.recursive.add(reference);
    return name;
  }
  const target = place.find(reference);
  if (target === undefined) return 'any';
  const written = write(target, { ...place, open: [...place.open, reference] });
  // A type is named only if it refers to itself.
  return place.recursive.has(reference) && written.startsWith('{ ') ? `${name}${written}` : written;
}

function writeArray(schema: JsonSchema, place: Place): string {
  const { items, prefixItems } = schema;
  const fixed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (fixed !== undefined) return `[${fixed.map((item) => write(item, place)).join(', ')}]`;
  return items === undefined ? 'any[]' : `${enclose(write(items, place))}[]`;
}

function writeObject(schema: JsonSchema, place: Place): string {
  const fields = ownFields(schema, place);
  if (isEmpty(fields)) return 'object';
  return place.depth <= 0 ? '{…}' : enclosed(fieldsOf(fields, { ...place, depth: place.depth - 1 }));
}

/** Returns the fields that an object always has; those of its alternatives are written beside it. */
function ownFields(schema: JsonSchema, place: Place): Variant {
  const own = without(schema, 'anyOf', 'oneOf');
  const variants = readVariants({ ...own, type: 'object' }, place.find);
  const [first = { parameters: [], isOpen: false, schema: own }] = variants;
  return { ...first, parameters: allParameters(variants) };
}

function isEmpty({ parameters, isOpen }: Variant): boolean {
  return parameters.length === 0 && !isOpen;
}

function fieldsOf({ parameters, schema }: Variant, place: Place): string[] {
  const fields = parameters.map((parameter) => writeField(parameter, place));
  const { additionalProperties: more, patternProperties: patterns } = schema;
  if (isPlainObject(patterns)) fields.push(...Object.values(patterns).map((other) => `[key]: ${write(other, place)}`));
  if (more === true || isPlainObject(more)) fields.push(`[key]: ${write(more, place)}`);
  return fields;
}

function enclosed(fields: readonly string[]): string {
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function writeField({ name, schema, isRequired }: Parameter, place: Place): string {
  const key = /^[\w$-]+$/.test(name) ? name : JSON.stringify(name);
  const { default: fallback } = schema;
  const optional = isRequired && fallback === undefined ? '' : '?';
  return `${key}${optional}: ${write(schema, place)}${fallback === undefined ? '' : ` = ${writeLiteral(fallback)}`}`;
}

function writeEnum(values: readonly unknown[], limit: number): string {
  const shown = values.slice(0, limit).map(writeLiteral);
  const left = values.length - shown.length;
  return [...shown, ...(left > 0 ? [`…${left} more`] : [])].join('|');
}

function writeLiteral(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > MAX_LITERAL ? `${text.slice(0, MAX_LITERAL)}…` : text;
}

function unite(types: readonly string[]): string {
  return [...new Set(types)].join('|');
}

/** Wraps a type in parentheses if needed before `[]` or beside `&`. */
function enclose(type: string): string {
  return /^(?:[\w$]*\{.*\}|"[^"]*"|[\w$…{}]+)$/.test(type) && !/[|&]/.test(type.replaceAll(/\{.*\}/g, ''))
    ? type
    : `(${type})`;
}
