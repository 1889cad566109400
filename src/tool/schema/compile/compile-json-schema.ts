import { isPlainObject, type JsonSchema } from '../../json.ts';
import { acceptAll, acceptNone, allOf, type Check, type CompileContext } from './check.ts';
import { compileAlternatives } from './compile-alternatives.ts';
import { compileArray } from './compile-array.ts';
import { compileNumber, compileString } from './compile-scalar.ts';
import { compileObject } from './compile-object.ts';
import { compileNamedProperties, compileOtherProperties } from './compile-properties.ts';
import { createRefCompiler } from './compile-ref.ts';
import { toModernSchema } from './modern-schema.ts';
import { compileEnum, compileType } from './compile-type.ts';
import { compileUnevaluated } from './compile-unevaluated.ts';
import type { SchemaResource } from '../schema-document.ts';
import { KEYWORDS, KeywordGroup } from '../schema-keywords.ts';
import type { SchemaSurvey } from './survey-schema.ts';

/** Compiles a surveyed document to one check made of small closures. */
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
  const rest = withType(typesOf(schema), checks);
  return groups & KeywordGroup.unevaluated ? compileUnevaluated(schema, context, rest) : rest;
}

/** Returns `type`, with null under OpenAPI's `nullable: true`, as many servers read it. */
function typesOf({ type, nullable }: JsonSchema): unknown {
  return type === undefined || nullable !== true ? type : [...new Set([type, 'null'].flat())];
}

/** Checks the type first: if it is wrong, other faults are noise. */
function withType(type: unknown, checks: readonly Check[]): Check {
  if (type === undefined) return allOf(checks);
  const ofType = compileType(type);
  if (checks.length === 0) return ofType;
  const rest = allOf(checks);
  return (value, report, seen) => ofType(value, report, undefined) && rest(value, report, seen);
}
