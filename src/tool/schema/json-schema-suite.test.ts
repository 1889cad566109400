import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
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

/** The required cases of a draft, those that pass, and the schemas that refer to other documents, which are never fetched. */
interface DraftFigures {
  readonly schema: string;
  readonly cases: number;
  readonly passed: number;
  readonly refused: number;
  readonly ajvAlonePassed: number;
}

const DRAFTS: Readonly<Record<string, DraftFigures>> = {
  'draft2020-12': {
    schema: 'https://json-schema.org/draft/2020-12/schema',
    cases: 1176,
    passed: 1135,
    refused: 18,
    ajvAlonePassed: 1092,
  },
  'draft2019-09': {
    schema: 'https://json-schema.org/draft/2019-09/schema',
    cases: 1176,
    passed: 1146,
    refused: 14,
    ajvAlonePassed: 1121,
  },
  draft7: {
    schema: 'http://json-schema.org/draft-07/schema#',
    cases: 861,
    passed: 840,
    refused: 10,
    ajvAlonePassed: 829,
  },
};

/** A meta-schema of its own, which would have to be fetched, turns the validation keywords off. */
const VOCABULARY =
  'vocabulary.json: schema that uses custom metaschema with with no validation vocabulary: ' +
  'no validation: invalid number, but it still validates';

function readGroups(draft: string): { readonly file: string; readonly group: SuiteGroup }[] {
  const folder = join(JSON_SCHEMA_SUITE, 'tests', draft);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().flatMap((file) => {
    // The format of the suite.
    const groups = JSON.parse(readFileSync(join(folder, file), 'utf8')) as SuiteGroup[];
    return groups.map((group) => ({ file, group }));
  });
}

/** Each compiles the schema of its draft when it is made, which takes longer than all schemas of the suite. */
const AJV: Readonly<Record<string, Ajv>> = Object.fromEntries(
  Object.entries({ 'draft2020-12': Ajv2020, 'draft2019-09': Ajv2019, draft7: Ajv }).map(([draft, Build]) => [
    draft,
    new Build({ strict: false, validateFormats: false, logger: false }),
  ]),
);

function ajvPasses(draft: string, schema: JsonSchema | boolean): (item: SuiteCase) => boolean {
  const ajv = AJV[draft]?.removeSchema();
  let validate: (value: unknown) => unknown;
  try {
    validate = ajv?.compile(schema) ?? (() => false);
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

describe('the official JSON Schema test suite', needs('json-schema-suite'), () => {
  test.for(Object.entries(DRAFTS))(
    '%s passes except for schemas that refer to other documents',
    ([draft, expected]) => {
      const figures = { schema: expected.schema, cases: 0, passed: 0, refused: 0, ajvAlonePassed: 0 };
      const refusals: string[] = [];
      const wrong: string[] = [];
      for (const { file, group } of readGroups(draft)) {
        const written = typeof group.schema === 'boolean' ? { allOf: [group.schema] } : group.schema;
        figures.cases += group.tests.length;
        figures.ajvAlonePassed += group.tests.filter(ajvPasses(draft, group.schema)).length;
        let reader: JsonSchemaReader;
        try {
          // Like a tool's schema, but for any value, and with defaults as mere annotations.
          reader = readJsonSchema({ $schema: expected.schema, ...written }, { anyRoot: true, defaults: false });
        } catch (error) {
          refusals.push(String(error));
          figures.refused++;
          continue;
        }
        for (const { data, valid, description } of group.tests) {
          if (reader.validate(data).ok === valid) figures.passed++;
          else wrong.push(`${file}: ${group.description}: ${description}`);
        }
      }
      expect(refusals.filter((message) => !message.includes('must point into this schema'))).toEqual([]);
      expect(wrong).toEqual(draft === 'draft7' ? [] : [VOCABULARY]);
      expect(figures).toEqual(expected);
    },
  );
});
