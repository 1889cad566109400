import { describeValue } from '../../texts/describe-value.ts';
import { isPlainObject, type JsonSchema } from '../../json.ts';
import { dialectOf, findMetaSchema, type SchemaDialect } from '../schema-dialect.ts';
import { patternFault } from '../pattern.ts';
import {
  addResource,
  createDocument,
  RECURSIVE_ANCHOR,
  type RefTarget,
  resolveRef,
  resolveUri,
  type SchemaDocument,
  type SchemaResource,
} from '../schema-document.ts';
import { type Keyword, KEYWORDS } from '../schema-keywords.ts';
import { nearestNames } from '../../texts/suggest.ts';

const MAX_DEPTH = 128;
const MAX_FAULTS = 20;
/** Counts shared parts at each place, as if the schema were written out. */
const MAX_SCHEMAS = 100_000;

/** A reference and its place. */
interface FoundRef {
  readonly schema: JsonSchema;
  readonly resource: SchemaResource;
  readonly path: readonly (string | number)[];
  readonly ref: string;
}

/** The result of one walk over a schema document. */
export interface SchemaSurvey {
  readonly faults: { readonly path: readonly (string | number)[]; readonly message: string }[];
  readonly document: SchemaDocument;
  readonly dialect: SchemaDialect;
  hasDefaults: boolean;
  hasDynamicRefs: boolean;
  /** True when one object appears in several places. */
  hasSharedParts: boolean;
}

/** Walks a schema document once: checks every keyword, indexes the targets of references and follows them all. */
export function surveySchema(root: unknown): SchemaSurvey {
  const schema = isPlainObject(root) ? root : {};
  const survey: SchemaSurvey = {
    faults: [],
    document: createDocument(schema),
    dialect: dialectOf(schema),
    hasDefaults: false,
    hasDynamicRefs: false,
    hasSharedParts: false,
  };
  const walk = new SchemaWalk(survey);
  if (isPlainObject(root)) {
    walk.visit(schema, survey.document.main);
    walk.followRefs();
  } else if (typeof root !== 'boolean')
    survey.faults.push({ path: [], message: `must be an object; got ${describeValue(root)}` });
  return survey;
}

/** Lists the faults of a value that should be a schema, as the meta-schema of a dialect would: references are not followed. */
export function findSchemaFaults(value: unknown, dialect: SchemaDialect): SchemaSurvey['faults'] {
  const document = createDocument(isPlainObject(value) ? value : {});
  const survey = { faults: [], document, dialect, hasDefaults: false, hasDynamicRefs: false, hasSharedParts: false };
  new SchemaWalk(survey, true).visit(value, document.main);
  return survey.faults;
}

/** The state of one walk: its position, the visited schemas and the references found. */
class SchemaWalk {
  readonly #survey: SchemaSurvey;
  readonly #isStrict: boolean;
  readonly #path: (string | number)[] = [];
  readonly #ancestors: JsonSchema[] = [];
  /** Every visited schema, with the number of schemas in it. */
  readonly #sizes = new Map<JsonSchema, number>();
  #size = 0;
  readonly #refs: FoundRef[] = [];

  /** `isStrict` refuses what the meta-schema forbids and this walk otherwise reads: a fragment in `$id`. */
  constructor(survey: SchemaSurvey, isStrict = false) {
    this.#survey = survey;
    this.#isStrict = isStrict;
  }

  /** Checks a schema and its subschemas. */
  visit(schema: unknown, from: SchemaResource): void {
    if (!isPlainObject(schema)) {
      if (typeof schema !== 'boolean')
        this.#fault(`must be a schema (an object, true or false); got ${describeValue(schema)}`);
      return;
    }
    if (this.#survey.faults.length >= MAX_FAULTS) return;
    const size = this.#sizes.get(schema);
    if (size !== undefined) {
      if (this.#ancestors.includes(schema)) this.#fault('must not contain itself: use "$ref" for a recursive schema');
      this.#survey.hasSharedParts = true;
      return this.#grow(size);
    }
    if (this.#ancestors.length >= MAX_DEPTH)
      return this.#fault(`must not be nested more than ${MAX_DEPTH} levels deep`);
    const before = this.#size;
    this.#grow(1);
    this.#sizes.set(schema, 1);
    this.#ancestors.push(schema);
    const resource = this.#enterResource(schema, from);
    for (const name of Object.keys(schema)) {
      const keyword = KEYWORDS.get(name);
      // A keyword set to `undefined` does not exist in JSON.
      if (keyword === undefined || schema[name] === undefined) continue;
      this.#path.push(name);
      if (keyword.holds === 'value') this.#checkValue(name, keyword, schema[name]);
      else this.#checkSchemas(name, schema[name], resource);
      if (name.startsWith('$')) this.#note(name, schema, resource);
      this.#path.pop();
    }
    this.#ancestors.pop();
    this.#sizes.set(schema, this.#size - before);
  }

  /** Resolves every reference and visits targets outside known keywords. */
  followRefs(): void {
    const { document, faults, dialect } = this.#survey;
    const targets = new Map<JsonSchema, RefTarget>();
    for (let index = 0; index < this.#refs.length; index++) {
      const found = this.#refs[index];
      if (found === undefined || faults.length >= MAX_FAULTS) break;
      const target = resolveRef(document, found.resource, found.ref);
      if (target !== undefined) {
        if (found.path.at(-1) === '$ref') targets.set(found.schema, target);
        if (!isPlainObject(target.schema) || this.#sizes.has(target.schema)) continue;
        this.#path.push(...found.path);
        this.visit(target.schema, target.resource);
        this.#path.length = 0;
      } else if (findMetaSchema(found.ref, dialect) === undefined)
        faults.push({ path: found.path, message: explainMissingRef(found.ref, found.resource) });
    }
    const looping = faults.length === 0 ? findRefLoop(targets) : undefined;
    const found = this.#refs.find(({ schema }) => schema === looping);
    if (found === undefined) return;
    faults.push({ path: found.path, message: `must not lead back to itself; got ${describeValue(found.ref)}` });
  }

  #enterResource(schema: JsonSchema, from: SchemaResource): SchemaResource {
    const { document, dialect } = this.#survey;
    const id = schema['$id'];
    if (typeof id !== 'string' || schema === document.main.root) return from;
    // In draft-07 the keywords beside a `$ref` are ignored, and an id may be the name of an anchor.
    if (id.startsWith('#') || (dialect === 'draft-07' && schema['$ref'] !== undefined)) return from;
    const resource = document.byRoot.get(schema) ?? addResource(document, from, schema);
    if (resource !== undefined) return resource;
    this.#path.push('$id');
    this.#fault(`must be a URI reference; got ${describeValue(id)}`);
    this.#path.pop();
    return from;
  }

  #checkValue(name: string, keyword: Keyword, value: unknown): void {
    const fault = keyword.fault(value);
    if (fault !== undefined) this.#fault(`${fault}; got ${describeValue(value)}`);
    else if (this.#isStrict && name === '$id' && this.#survey.dialect !== 'draft-07' && /#./.test(String(value)))
      this.#fault(`must not have a fragment; got ${describeValue(value)}`);
    else if (name === 'default') this.#survey.hasDefaults = true;
  }

  #checkSchemas(name: string, value: unknown, resource: SchemaResource): void {
    const holds = KEYWORDS.get(name)?.holds;
    if (holds === 'list' || (name === 'items' && Array.isArray(value) && this.#survey.dialect !== '2020-12')) {
      if (!Array.isArray(value)) return this.#fault(`must be an array of schemas; got ${describeValue(value)}`);
      if (value.length === 0 && name !== 'items')
        return this.#fault('must contain at least one schema; got an empty array');
      for (const [index, item] of value.entries()) this.#visitAt(index, item, resource);
    } else if (holds === 'map') {
      if (!isPlainObject(value)) return this.#fault(`must be an object of schemas; got ${describeValue(value)}`);
      for (const key of Object.keys(value)) {
        if (name === 'patternProperties') this.#checkPattern(key);
        if (name === 'dependencies' && Array.isArray(value[key])) continue;
        this.#visitAt(key, value[key], resource);
      }
    } else if (name === 'items' && Array.isArray(value)) {
      this.#fault(
        `must be a schema; got ${describeValue(value)}. A list of schemas by position is called "prefixItems"`,
      );
    } else this.visit(value, resource);
  }

  #visitAt(key: string | number, schema: unknown, resource: SchemaResource): void {
    this.#path.push(key);
    this.visit(schema, resource);
    this.#path.pop();
  }

  #checkPattern(source: string): void {
    const fault = patternFault(source);
    if (fault !== undefined)
      this.#fault(`must have regular expressions as keys (${fault}); got ${describeValue(source)}`);
  }

  /** Stores anchors and references. */
  #note(name: string, schema: JsonSchema, resource: SchemaResource): void {
    const value = schema[name];
    if (name === '$recursiveAnchor' && value === true) resource.dynamicAnchors.set(RECURSIVE_ANCHOR, schema);
    if (name === '$recursiveRef') this.#survey.hasDynamicRefs = true;
    if (typeof value !== 'string') return;
    if (name === '$anchor') resource.anchors.set(value, schema);
    else if (name === '$dynamicAnchor') resource.dynamicAnchors.set(value, schema);
    else if (name === '$id' && value.startsWith('#')) resource.anchors.set(value.slice(1), schema);
    else if (name === '$ref' || name === '$dynamicRef') {
      this.#refs.push({ schema, resource, path: [...this.#path], ref: value });
      if (name === '$dynamicRef') this.#survey.hasDynamicRefs = true;
    }
  }

  #grow(schemas: number): void {
    if (this.#size <= MAX_SCHEMAS && this.#size + schemas > MAX_SCHEMAS) {
      this.#fault(
        `must not contain more than ${MAX_SCHEMAS} schemas: use "$ref" for parts that are used in several places`,
      );
    }
    this.#size += schemas;
  }

  #fault(message: string): void {
    if (this.#survey.faults.length < MAX_FAULTS) this.#survey.faults.push({ path: [...this.#path], message });
  }
}

/**
 * Finds a schema with a `$ref` that leads back to itself without descending into the value: its check would not end.
 *
 * `targets` contains every schema with a `$ref`. Visits each schema once.
 */
function findRefLoop(targets: ReadonlyMap<JsonSchema, RefTarget>): JsonSchema | undefined {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  for (const start of targets.keys()) {
    // The current path of schemas, each with the in-place schemas still to visit.
    const way: { readonly schema: JsonSchema; readonly left: unknown[] }[] = [];
    let next: unknown = start;
    for (;;) {
      if (open.has(next)) return way.findLast(({ schema }) => targets.has(schema))?.schema;
      if (isPlainObject(next) && !done.has(next)) {
        open.add(next);
        way.push({ schema: next, left: appliedInPlace(next, targets) });
      }
      let last = way.at(-1);
      while (last !== undefined && last.left.length === 0) {
        open.delete(last.schema);
        done.add(last.schema);
        way.pop();
        last = way.at(-1);
      }
      if (last === undefined) break;
      next = last.left.pop();
    }
  }
  return undefined;
}

/** Lists the schemas that apply to the same value as this one. */
function appliedInPlace(schema: JsonSchema, targets: ReadonlyMap<JsonSchema, RefTarget>): unknown[] {
  const found: unknown[] = [];
  for (const name of Object.keys(schema)) {
    const keyword = KEYWORDS.get(name);
    const value = schema[name];
    if (name === '$ref') found.push(targets.get(schema)?.schema);
    else if (keyword?.inPlace !== true) continue;
    else if (keyword.holds === 'schema') found.push(value);
    else if (Array.isArray(value)) found.push(...value);
    else if (isPlainObject(value)) found.push(...Object.values(value));
  }
  return found;
}

/** Explains why a reference cannot be resolved and what to write instead. */
function explainMissingRef(ref: string, resource: SchemaResource): string {
  const [address = ''] = ref.split('#');
  if (address !== '' && resolveUri(address, resource.uri) !== resource.uri) {
    return (
      `must point into this schema; got ${describeValue(ref)}. Remote schemas are never fetched: ` +
      'copy the schema under "$defs" and use "#/$defs/<name>"'
    );
  }
  const known = ['$defs', 'definitions'].flatMap((place) => {
    const schemas = resource.root[place];
    return isPlainObject(schemas) ? Object.keys(schemas).map((name) => `#/${place}/${name}`) : [];
  });
  known.push(...[...resource.anchors.keys(), ...resource.dynamicAnchors.keys()].map((name) => `#${name}`));
  const [nearest] = nearestNames(ref, known, 1);
  return `points to nothing in this schema; got ${describeValue(ref)}${nearest === undefined ? '' : `. Did you mean ${describeValue(nearest)}?`}`;
}
