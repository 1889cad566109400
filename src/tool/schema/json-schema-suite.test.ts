import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { JSON_SCHEMA_SUITE } from '../../../scripts/test-set-up/parts.ts';
import type { JsonSchema } from '../json.ts';
import { readJsonSchema, type JsonSchemaReader } from './read-json-schema.ts';
import { needs } from '../../../test/needs.test-helper.ts';

interface SuiteCase {
  readonly description: string;
  readonly data: unknown;
  readonly valid: boolean;
}

interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonSchema | boolean;
  readonly tests: readonly SuiteCase[];
}

const folder = join(JSON_SCHEMA_SUITE, 'tests', 'draft2020-12');

/** Schemas with a reference to another document: refused when the tool is defined, since nothing is ever fetched. */
const REMOTE: Readonly<Record<string, number>> = {
  'dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first': 3,
  'dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first': 3,
  'dynamicRef.json: strict-tree schema, guards against misspelled properties': 2,
  'dynamicRef.json: tests for implementation dynamic anchor and reference link': 3,
  'refRemote.json: Location-independent identifier in remote ref': 2,
  'refRemote.json: anchor within remote ref': 2,
  'refRemote.json: base URI change': 2,
  'refRemote.json: base URI change - change folder': 2,
  'refRemote.json: base URI change - change folder in subschema': 2,
  'refRemote.json: fragment within remote ref': 2,
  'refRemote.json: ref within remote ref': 2,
  'refRemote.json: remote HTTP ref with different $id': 2,
  'refRemote.json: remote HTTP ref with different URN $id': 2,
  'refRemote.json: remote HTTP ref with nested absolute ref': 2,
  'refRemote.json: remote ref': 2,
  'refRemote.json: remote ref with ref to defs': 2,
  'refRemote.json: retrieved nested refs resolve relative to their URI not $id': 2,
  'refRemote.json: root ref in remote ref': 3,
};

/** A meta-schema of the schema's own, which would have to be fetched, turns the validation keywords off. */
const VOCABULARY = [
  'vocabulary.json: schema that uses custom metaschema with with no validation vocabulary: ' +
    'no validation: invalid number, but it still validates',
];

function readGroups(): { readonly file: string; readonly group: SuiteGroup }[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().flatMap((file) => {
    // The suite's own format.
    const groups = JSON.parse(readFileSync(join(folder, file), 'utf8')) as SuiteGroup[];
    return groups.map((group) => ({ file, group }));
  });
}

/** Reads a schema of the suite as a tool's schema is read, but of any value, and with defaults as mere annotations. */
function readAny(schema: JsonSchema | boolean): JsonSchemaReader {
  return readJsonSchema(typeof schema === 'boolean' ? { allOf: [schema] } : schema, { anyRoot: true, defaults: false });
}

function ajvPasses(schema: JsonSchema | boolean): (item: SuiteCase) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  let validate: (value: unknown) => unknown;
  try {
    validate = ajv.compile(schema);
  } catch {
    return () => false;
  }
  return (item) => {
    try {
      return validate(item.data) === item.valid;
    } catch {
      return false;
    }
  };
}

describe('the official JSON Schema test suite, draft 2020-12', needs('json-schema-suite'), () => {
  test('passes but for schemas that ask for other documents', () => {
    const figures = { cases: 0, passed: 0, ajvAlonePassed: 0, byClosures: 0, byAjv: 0, refused: 0 };
    const refused: Record<string, number> = {};
    const refusals = new Set<string>();
    const wrong: Record<JsonSchemaReader['engine'], string[]> = { closures: [], ajv: [] };
    for (const { file, group } of readGroups()) {
      const name = `${file}: ${group.description}`;
      figures.cases += group.tests.length;
      figures.ajvAlonePassed += group.tests.filter(ajvPasses(group.schema)).length;
      let reader: JsonSchemaReader;
      try {
        reader = readAny(group.schema);
      } catch (error) {
        refusals.add(String(error).replace(/^.*?: |; got.*$/g, ''));
        refused[name] = group.tests.length;
        figures.refused++;
        continue;
      }
      figures[reader.engine === 'ajv' ? 'byAjv' : 'byClosures']++;
      for (const { data, valid, description } of group.tests) {
        if (reader.validate(data).ok === valid) figures.passed++;
        else wrong[reader.engine].push(`${name}: ${description}`);
      }
    }
    expect(refused).toEqual(REMOTE);
    expect([...refusals].every((message) => message.endsWith('must point into this schema'))).toBe(true);
    expect(wrong).toEqual({ closures: VOCABULARY, ajv: [] });
    expect(figures).toEqual({
      cases: 1176,
      passed: 1135,
      ajvAlonePassed: 1092,
      byClosures: 325,
      byAjv: 7,
      refused: 18,
    });
  });
});
