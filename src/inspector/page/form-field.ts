import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { readVariants, type Variant } from '../../tool/parameters/read-variants.ts';
import { createReferenceFinder, type FindReference } from '../../tool/parameters/schema-node.ts';

/** A JSON Schema or a part of one. */
type Schema = Readonly<Record<string, unknown>>;

/** An input of a form. The board checks everything else in the schema. */
export type Field = {
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The default of the tool. */
  readonly fallback: unknown;
} & (
  | { readonly kind: 'text' }
  /** A text that is hidden while it is typed. */
  | { readonly kind: 'password' }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'json' }
  | { readonly kind: 'enum'; readonly values: readonly unknown[] }
  | { readonly kind: 'list'; readonly item: Field }
  | { readonly kind: 'group'; readonly fields: ReadonlyMap<string, Field> }
  | { readonly kind: 'variants'; readonly variants: readonly Field[] }
);

type Shape = Field extends infer F ? (F extends Field ? Omit<F, keyof Common> : never) : never;
type Common = Pick<Field, 'label' | 'description' | 'isRequired' | 'fallback'>;

const MAX_DEPTH = 6;

/** Creates the form for a tool's arguments: a group of parameters, a choice of groups, or JSON if the parameters are unknown. */
export function toForm(schema: Schema): Field {
  const find = createReferenceFinder(schema);
  const place = { find, label: '', isRequired: true, depth: 0 };
  const { title, description } = schema;
  const common = {
    label: typeof title === 'string' ? revealHidden(title) : '',
    description: typeof description === 'string' ? revealHidden(description) : '',
    isRequired: true,
    fallback: undefined,
  };
  return { ...common, ...toObject(schema, place) };
}

interface Place {
  readonly find: FindReference;
  readonly label: string;
  readonly isRequired: boolean;
  readonly depth: number;
}

function toField(given: unknown, place: Place): Field {
  const schema = follow(given, place.find);
  const { title, description, default: fallback } = schema;
  const common = {
    label: revealHidden(place.label === '' && typeof title === 'string' ? title : place.label),
    description: revealHidden(typeof description === 'string' ? description : ''),
    isRequired: place.isRequired,
    fallback,
  };
  return { ...common, ...toShape(schema, place) };
}

function toShape(schema: Schema, place: Place): Shape {
  const { enum: values, const: constant, items } = schema;
  if (place.depth > MAX_DEPTH) return { kind: 'json' };
  if (constant !== undefined) return { kind: 'enum', values: [constant] };
  if (Array.isArray(values)) return { kind: 'enum', values: values.filter((value) => value !== null) };
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options) && !isSchema(schema['properties'])) return toVariants(options, place);
  switch (typeOf(schema)) {
    case 'string':
      return { kind: isHidden(schema) ? 'password' : 'text' };
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      if (!isSchema(items)) return { kind: 'json' };
      return { kind: 'list', item: toField(items, { ...place, label: '', isRequired: true, depth: place.depth + 1 }) };
    case 'object':
      return toObject(schema, place);
    default:
      return { kind: 'json' };
  }
}

/** Converts the parameters of an object, or a choice if it has several sets. */
function toObject(schema: Schema, place: Place): Shape {
  const variants = readVariants(schema, place.find);
  const [only, ...others] = variants;
  if (only === undefined) return { kind: 'json' };
  if (others.length === 0) return toGroup(only, place);
  return {
    kind: 'variants',
    variants: variants.map((variant) => {
      const { title, description } = variant.schema;
      const own = typeof description === 'string' && description !== schema['description'] ? description : '';
      const common = { label: '', description: revealHidden(own), isRequired: true, fallback: undefined };
      const field: Field = { ...common, ...toGroup(variant, place) };
      const isNamed = typeof title === 'string' && title !== schema['title'];
      return { ...field, label: revealHidden(isNamed ? title : nameVariant(field)) };
    }),
  };
}

/** Converts a set of parameters; objects with unknown names are edited as JSON. */
function toGroup({ parameters, isOpen, schema }: Variant, place: Place): Shape {
  if (!isSchema(schema['properties']) && parameters.length === 0)
    return place.depth === 0 && !isOpen ? { kind: 'group', fields: new Map() } : { kind: 'json' };
  const fields = parameters.map(({ name, schema: property, isRequired }) => {
    const inner = { find: place.find, label: name, isRequired, depth: place.depth + 1 };
    return [name, toField(property, inner)] as const;
  });
  // Required fields come first; otherwise the order stays.
  return {
    kind: 'group',
    fields: new Map(fields.toSorted(([, a], [, b]) => Number(b.isRequired) - Number(a.isRequired))),
  };
}

function toVariants(options: readonly unknown[], place: Place): Shape {
  const schemas = options.map((option) => follow(option, place.find)).filter((option) => typeOf(option) !== 'null');
  // A union of literals becomes one choice.
  if (schemas.every(({ const: constant }) => constant !== undefined))
    return { kind: 'enum', values: schemas.map(({ const: constant }) => constant) };
  const [only] = schemas;
  if (schemas.length === 1 && only !== undefined) return toShape(only, { ...place, depth: place.depth + 1 });
  const variants = schemas.map((schema) => {
    const field = toField(schema, { ...place, label: '', depth: place.depth + 1 });
    return { ...field, label: field.label || nameVariant(field, typeOf(schema)) };
  });
  return { kind: 'variants', variants };
}

/** Labels a variant by its fixed values, its fields, or its type. */
function nameVariant(field: Field, type = 'JSON'): string {
  if (field.kind !== 'group') return type;
  const marks = [...field.fields].flatMap(([name, member]) =>
    member.kind === 'enum' && isMark(member) ? [`${name}: ${String(member.values[0])}`] : [],
  );
  return marks.length > 0 ? marks.join(', ') : [...field.fields.keys()].join(', ') || type;
}

/** Returns true when a field is required and has only one possible value, so that nothing needs to be chosen. */
export function isMark(field: Field): boolean {
  return field.kind === 'enum' && field.isRequired && field.values.length === 1;
}

/** Returns true for values that JSON Schema or OpenAPI marks as hidden. */
function isHidden({ format, writeOnly }: Schema): boolean {
  return format === 'password' || writeOnly === true;
}

/** Returns the type of a schema. `null` beside another type only means optional, which any field may be. */
function typeOf({ type, properties }: Schema): string | undefined {
  const [first, ...others] = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  if (type === 'null') return type;
  if (typeof first === 'string') return others.length === 0 ? first : undefined;
  return isSchema(properties) ? 'object' : undefined;
}

/** Resolves references, and an `allOf` with a single part. */
function follow(given: unknown, find: FindReference): Schema {
  let schema = isSchema(given) ? given : {};
  for (let step = 0; step < 20; step++) {
    const { $ref, allOf, ...rest } = schema;
    if (typeof $ref === 'string') schema = { ...find($ref), ...rest };
    else if (Array.isArray(allOf) && allOf.length === 1 && isSchema(allOf[0])) schema = { ...allOf[0], ...rest };
    else return schema;
  }
  return {};
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
