import type { JsonSchema } from '../../json.ts';
import { loadPeer } from '../../../platform/peers/load-peer.ts';
import { describeValue } from '../../texts/describe-value.ts';
import type { Check } from './check.ts';
import { wrongType, wrongValue } from './compile-type.ts';
import { unknownKey } from './compile-properties.ts';
import { compilePattern } from '../pattern.ts';
import type { Report } from './report.ts';
import type { SchemaDialect } from '../schema-dialect.ts';

/** The part of an ajv error that is used here. */
interface AjvError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** The part of ajv that is used here. */
interface AjvModule {
  readonly default: new (options: object) => {
    compile(schema: JsonSchema): { (value: unknown): boolean; errors?: readonly AjvError[] | null };
  };
}

const BUILDS: Readonly<Record<SchemaDialect, string>> = {
  '2020-12': 'ajv/dist/2020.js',
  '2019-09': 'ajv/dist/2019.js',
  'draft-07': 'ajv/dist/ajv.js',
};

/** Compiles a schema with ajv, loaded on first use, for keywords that the closures do not support. */
export function checkWithAjv(schema: JsonSchema, dialect: SchemaDialect): Check {
  // The shape of ajv's builds, whose types cover only imports.
  const { default: Ajv } = loadPeer(BUILDS[dialect], 'A schema in an older draft of JSON Schema') as AjvModule;
  // ajv distinguishes patterns by their text.
  const engine = (source: string): object => ({ test: compilePattern(source), toString: () => source });
  const regExp = Object.assign(engine, { code: 'compilePattern' });
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    verbose: true,
    validateFormats: false,
    validateSchema: false,
    ownProperties: true,
    ignoreKeywordsWithRef: dialect === 'draft-07',
    logger: false,
    code: { regExp },
  });
  const { $schema: _declared, ...bare } = schema;
  const validate = ajv.compile(bare);
  return (value, report) => {
    if (validate(value)) return true;
    if (report === undefined) return false;
    const errors = validate.errors ?? [];
    for (const error of withoutSummaries(errors)) {
      if (report.full) break;
      addIssue(error, report);
    }
    return false;
  };
}

/** Drops errors that only report the failure of an inner schema. */
function withoutSummaries(errors: readonly AjvError[]): readonly AjvError[] {
  const own = errors.filter(({ keyword }) => !['if', 'anyOf', 'oneOf'].includes(keyword));
  return own.length === 0 ? errors : own;
}

/** Words an ajv error like the closures do. */
function addIssue(error: AjvError, report: Report): void {
  const { keyword, params, data, parentSchema } = error;
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^(0|[1-9]\d*)$/.test(part) ? Number(part) : part));
  report.path.push(...path);
  switch (keyword) {
    case 'type':
      wrongType(data, [parentSchema?.['type'] ?? params['type']].flat().map(String), report);
      break;
    case 'enum':
      wrongValue(data, Array.isArray(params['allowedValues']) ? params['allowedValues'] : [], report);
      break;
    case 'const':
      wrongValue(data, [params['allowedValue']], report);
      break;
    case 'required':
      report.addAt(String(params['missingProperty']), 'is required');
      break;
    case 'additionalProperties':
      unknownKey(String(params['additionalProperty']), Object.keys(Object(parentSchema?.['properties'])), report);
      break;
    case 'false schema':
      report.add('is not allowed');
      break;
    case 'pattern':
      report.add(`must match pattern ${String(params['pattern'])}; got ${describeValue(data)}`);
      break;
    default:
      report.add(`${error.message ?? `breaks the rule "${keyword}"`}, got ${describeValue(data)}`);
  }
  report.path.length -= path.length;
}
