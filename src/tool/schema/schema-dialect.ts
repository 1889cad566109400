import type { JsonSchema } from '../json.ts';

/** The supported versions of JSON Schema. */
export type SchemaDialect = '2020-12' | '2019-09' | 'draft-07';

/** Reads `$schema`. The default, also for unknown ones, is 2020-12; drafts 3 to 6 count as draft-07. */
export function dialectOf(schema: JsonSchema): SchemaDialect {
  const declared = schema['$schema'];
  if (typeof declared !== 'string') return '2020-12';
  if (declared.includes('json-schema.org/draft/2019-09/')) return '2019-09';
  return /json-schema\.org\/(draft-0[3-7]\/)?(hyper-)?schema/.test(declared) ? 'draft-07' : '2020-12';
}
