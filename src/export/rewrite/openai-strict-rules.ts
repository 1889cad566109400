import type { ClosedRules } from './closed-context.ts';

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const NUMBERS = ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

/** The subset of JSON Schema that OpenAI's strict mode takes. */
export const OPENAI_STRICT_RULES: ClosedRules = {
  provider: 'OpenAI strict mode',
  refs: 'keep',
  nulls: 'type',
  allRequired: true,
  emptyObjects: true,
  textEnums: false,
  keywords: new Set(['pattern', ...NUMBERS, 'minItems', 'maxItems']),
  formats: new Set(FORMATS.map((format) => `string:${format}`)),
};
