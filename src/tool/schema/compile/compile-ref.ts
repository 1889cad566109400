import { isPlainObject, type JsonSchema } from '../../json.ts';
import type { Check } from './check.ts';
import { resolveRef, type SchemaResource } from '../schema-document.ts';
import { createStepLimit } from './step-limit.ts';
import type { SchemaSurvey } from './survey-schema.ts';

type CompileIn = (schema: unknown, resource: SchemaResource) => Check;

/** Compiles references, tracks the dynamic scope for `$dynamicRef`, and limits the references that one check follows. */
export interface RefCompiler {
  /** Compiles a schema's `$ref` and `$dynamicRef`. */
  compile(schema: JsonSchema, resource: SchemaResource): Check[];
  /** Returns the target of a `$ref`, or the schema itself. */
  follow(schema: unknown, resource: SchemaResource): unknown;
  /** Adds a resource to the scope while its own schema is checked. */
  enter(schema: JsonSchema, resource: SchemaResource, check: Check): Check;
  /** Wraps the check of a document's top schema. */
  start(check: Check): Check;
}

/** Creates the compiler for one document's references. Compiles each target once, on first use, so recursion ends. */
export function createRefCompiler(survey: SchemaSurvey, compileIn: CompileIn): RefCompiler {
  const { document, hasDynamicRefs } = survey;
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
        check = target === undefined ? () => false : checkOf(target.schema, target.resource);
      }
      return check(value, report, seen);
    };
  };

  const compileDynamicRef = (ref: string, resource: SchemaResource): Check => {
    const anchor = resolveRef(document, resource, ref)?.dynamicAnchor;
    if (anchor === undefined) return compileRef(ref, resource);
    const fixed = compileRef(ref, resource);
    return (value, report, seen) => {
      const outermost = scope.find((entered) => entered.dynamicAnchors.has(anchor));
      if (outermost === undefined) return fixed(value, report, seen);
      return checkOf(outermost.dynamicAnchors.get(anchor), outermost)(value, report, seen);
    };
  };

  return {
    compile(schema, resource) {
      const { $ref, $dynamicRef } = schema;
      const checks: Check[] = [];
      hasRefs ||= $ref !== undefined || $dynamicRef !== undefined;
      if (typeof $ref === 'string') checks.push(compileRef($ref, resource));
      if (typeof $dynamicRef === 'string') checks.push(compileDynamicRef($dynamicRef, resource));
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
