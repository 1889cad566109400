import { isPlainObject, type JsonSchema } from '../../json.ts';
import { acceptAll, acceptNone, type Check, type CompileContext, createStepLimit, type Report } from './check.ts';
import { compileAlternatives } from './compile-alternatives.ts';
import { compileArray } from './compile-array.ts';
import { compileEnum, compileNumber, compileString, compileTyped } from './compile-scalar.ts';
import { compileNamedProperties, compileObject, compileOtherProperties, compileUnevaluated } from './compile-object.ts';
import { findMetaSchema, type SchemaDialect, toModernSchema } from '../schema-dialect.ts';
import { RECURSIVE_ANCHOR, resolveRef, type SchemaResource } from '../schema-document.ts';
import { KeywordGroup, KEYWORDS } from '../schema-keywords.ts';
import { findSchemaFaults, type SchemaSurvey } from './survey-schema.ts';

/** Compiles a surveyed document to one check that consists of small closures. */
export function compileJsonSchema(schema: unknown, survey: SchemaSurvey): Check {
  const cache = survey.hasSharedParts ? new Map<JsonSchema, Check>() : undefined;
  const refs = createRefCompiler(survey, (target, resource) => compileIn(target, resource));
  const contexts = new Map<SchemaResource, CompileContext>();

  const compileIn = (part: unknown, resource: SchemaResource): Check => {
    if (!isPlainObject(part)) return part === false ? acceptNone : acceptAll;
    const inner = part['$id'] === undefined ? resource : (survey.document.byRoot.get(part) ?? resource);
    let context = contexts.get(inner);
    if (context === undefined) {
      context = {
        dialect: survey.dialect,
        compile: (child) => compileIn(child, inner),
        follow: (child) => refs.follow(child, inner),
      };
      contexts.set(inner, context);
    }
    const known = cache?.get(part);
    if (known !== undefined) return known;
    const modern = toModernSchema(part, survey.dialect);
    const check = refs.enter(part, inner, compileSchema(modern, context, refs.compile(modern, inner)));
    cache?.set(part, check);
    return check;
  };
  return refs.start(compileIn(schema, survey.document.main));
}

/** Compiles one schema: its type first, and the rest only for values of that type. */
function compileSchema(schema: JsonSchema, context: CompileContext, refs: readonly Check[]): Check {
  let groups = 0;
  for (const name in schema) groups |= KEYWORDS.get(name)?.group ?? 0;
  const checks: Check[] = [];
  if (Array.isArray(schema['enum'])) checks.push(compileEnum(schema['enum']));
  if (schema['const'] !== undefined) checks.push(compileEnum([schema['const']]));
  if (groups & KeywordGroup.string) checks.push(compileString(schema));
  if (groups & KeywordGroup.number) checks.push(compileNumber(schema));
  if (groups & KeywordGroup.array) checks.push(compileArray(schema, context));
  if (groups & KeywordGroup.named) checks.push(compileNamedProperties(schema, context));
  if (groups & KeywordGroup.others) checks.push(compileOtherProperties(schema, context));
  if (groups & KeywordGroup.object) checks.push(compileObject(schema, context));
  if (groups & KeywordGroup.alternatives) checks.push(compileAlternatives(schema, context));
  checks.push(...refs);
  const rest = compileTyped(typesOf(schema), checks);
  return groups & KeywordGroup.unevaluated ? compileUnevaluated(schema, context, rest) : rest;
}

/** Returns `type`, with null under OpenAPI's `nullable: true`, as many servers read it. */
function typesOf({ type, nullable }: JsonSchema): unknown {
  return type === undefined || nullable !== true ? type : [...new Set([type, 'null'].flat())];
}

type CompileIn = (schema: unknown, resource: SchemaResource) => Check;

/** Compiles references, tracks the dynamic scope for `$dynamicRef`, and limits the references that one check follows. */
interface RefCompiler {
  compile(schema: JsonSchema, resource: SchemaResource): Check[];
  /** Returns the target of a `$ref`, or the schema itself. */
  follow(schema: unknown, resource: SchemaResource): unknown;
  /** Adds a resource to the scope while its own schema is checked. */
  enter(schema: JsonSchema, resource: SchemaResource, check: Check): Check;
  /** Wraps the check of a document's top schema. */
  start(check: Check): Check;
}

/** Creates the compiler for one document's references. Compiles each target once, on first use, so recursion ends. */
function createRefCompiler(survey: SchemaSurvey, compileIn: CompileIn): RefCompiler {
  const { document, dialect, hasDynamicRefs } = survey;
  const compiled = new Map<unknown, Check>();
  const scope: SchemaResource[] = [];
  const limit = createStepLimit();
  let hasRefs = false;

  const checkOf = (schema: unknown, resource: SchemaResource): Check => {
    let check = compiled.get(schema);
    if (check === undefined) compiled.set(schema, (check = within(resource, compileIn(schema, resource))));
    return check;
  };

  const within = (resource: SchemaResource, check: Check): Check => {
    if (!hasDynamicRefs) return check;
    return (value, report, seen) => {
      scope.push(resource);
      const ok = check(value, report, seen);
      scope.pop();
      return ok;
    };
  };

  const compileRef = (ref: string, resource: SchemaResource): Check => {
    let check: Check | undefined;
    return (value, report, seen) => {
      limit.step();
      if (check === undefined) {
        const target = resolveRef(document, resource, ref);
        check = target === undefined ? compileMetaRef(ref) : checkOf(target.schema, target.resource);
      }
      return check(value, report, seen);
    };
  };

  const compileMetaRef = (ref: string): Check => {
    const meta = findMetaSchema(ref, dialect);
    if (meta?.type === 'part') return checkOf(meta.schema, document.main);
    return meta === undefined ? () => false : (value, report) => checkSchema(value, dialect, report);
  };

  const compileDynamicRef = (ref: string, resource: SchemaResource): Check => {
    const anchor = resolveRef(document, resource, ref)?.dynamicAnchor;
    return anchor === undefined ? compileRef(ref, resource) : compileOutermost(anchor, compileRef(ref, resource));
  };

  /** Follows `$recursiveRef`, whose only value is "#". */
  const compileRecursiveRef = (resource: SchemaResource): Check => {
    const fixed = compileRef('#', resource);
    return resource.dynamicAnchors.has(RECURSIVE_ANCHOR) ? compileOutermost(RECURSIVE_ANCHOR, fixed) : fixed;
  };

  const compileOutermost = (anchor: string, fixed: Check): Check => {
    return (value, report, seen) => {
      const outermost = scope.find((entered) => entered.dynamicAnchors.has(anchor));
      if (outermost === undefined) return fixed(value, report, seen);
      return checkOf(outermost.dynamicAnchors.get(anchor), outermost)(value, report, seen);
    };
  };

  return {
    compile(schema, resource) {
      const { $ref, $dynamicRef, $recursiveRef } = schema;
      const checks: Check[] = [];
      const isRecursive = dialect === '2019-09' && $recursiveRef !== undefined;
      hasRefs ||= $ref !== undefined || $dynamicRef !== undefined || isRecursive;
      if (typeof $ref === 'string') checks.push(compileRef($ref, resource));
      if (typeof $dynamicRef === 'string') checks.push(compileDynamicRef($dynamicRef, resource));
      if (isRecursive) checks.push(compileRecursiveRef(resource));
      return checks;
    },
    follow(schema, resource) {
      const ref = isPlainObject(schema) ? schema['$ref'] : undefined;
      return typeof ref === 'string' ? resolveRef(document, resource, ref)?.schema : schema;
    },
    enter: (schema, resource, check) => (resource.root === schema ? within(resource, check) : check),
    start(check) {
      if (!hasRefs) return check;
      return (value, report, seen) => {
        // A check that a too deep value interrupted leaves its scope behind.
        scope.length = 0;
        limit.start();
        return check(value, report, seen);
      };
    },
  };
}

/** Checks that a value is a schema, as a reference to the meta-schema asks. */
function checkSchema(value: unknown, dialect: SchemaDialect, report: Report | undefined): boolean {
  const faults = findSchemaFaults(value, dialect);
  if (report === undefined) return faults.length === 0;
  for (const { path, message } of faults) {
    if (report.full) break;
    report.path.push(...path);
    report.add(message);
    report.path.length -= path.length;
  }
  return faults.length === 0;
}
