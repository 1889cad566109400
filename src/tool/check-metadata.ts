import { describeValue } from './texts/describe-value.ts';
import { isPlainObject } from './json.ts';
import { ToolError } from './tool-error.ts';
import type { ToolMetadata } from './tool-metadata.ts';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const RISKS = ['read', 'write', 'destructive'];

/** Returns the message for a value that breaks the rule of its field. */
type Rule = (value: unknown) => string | undefined;

const text: Rule = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a non-empty string';
const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const texts: Rule = (value) =>
  Array.isArray(value) && value.every((item) => text(item) === undefined)
    ? undefined
    : 'must be an array of non-empty strings';
const object: Rule = (value) => (isPlainObject(value) ? undefined : 'must be an object');
const wholeNumber =
  (least: number): Rule =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least ? undefined : `must be a whole number, ${least} or more`;

const isRisk = (value: unknown): boolean => typeof value === 'string' && RISKS.includes(value);
const isTable = (value: unknown): boolean => isPlainObject(value) && Object.values(value).every(isRisk);

const RULES: Readonly<Record<keyof ToolMetadata, Rule>> = {
  name: (value) =>
    typeof value === 'string' && NAME.test(value) ? undefined : 'must be 1 to 128 of A-Z a-z 0-9 _ . - (no spaces)',
  displayName: text,
  icons: (value) =>
    Array.isArray(value) && value.every((icon) => isPlainObject(icon) && /^(?:https|data):/.test(String(icon['src'])))
      ? undefined
      : 'must be an array of { src } with https: or data: addresses',
  description: (value) =>
    text(value) === undefined ? undefined : 'must say what the tool does, in a non-empty string',
  aliases: texts,
  category: text,
  tags: texts,
  examples: checkExamples,
  utterances: texts,
  common: flag,
  usageNotes: text,
  limitations: texts,
  version: text,
  author: text,
  deprecated: flag,
  replacedBy: text,
  source: text,
  kind: text,
  risk: (value) => (isRisk(value) ? undefined : `must be one of: ${RISKS.join(', ')}`),
  argumentRisks: (value) =>
    isPlainObject(value) && Object.values(value).every((risk) => isRisk(risk) || isTable(risk))
      ? undefined
      : `must be an object of argument names, each with one of: ${RISKS.join(', ')}, or with an object of values and their risks`,
  idempotent: (value) => (value === 'key' ? undefined : flag(value) && `must be true, false or 'key'`),
  annotations: object,
  _meta: object,
  paths: texts,
  timeout: (value) =>
    typeof value === 'number' && value > 0 && value <= 2 ** 31 - 1
      ? undefined
      : 'must be milliseconds above 0 and at most 2147483647',
  concurrency: wholeNumber(1),
  retries: wholeNumber(0),
  maxOutput: wholeNumber(1),
  maxMedia: wholeNumber(0),
  deferLoading: flag,
};

const RULE_ENTRIES = Object.entries(RULES);

const REQUIRED: ReadonlySet<string> = new Set(['name', 'description']);

export interface MetadataFault {
  readonly field: string;
  /** The rule and the value that breaks it. */
  readonly reason: string;
}

/** Finds all faults in a tool's metadata. */
export function findMetadataFaults(metadata: Readonly<Record<string, unknown>>): MetadataFault[] {
  const faults: MetadataFault[] = [];
  for (const [field, rule] of RULE_ENTRIES) {
    const value = metadata[field];
    if (value === undefined && !REQUIRED.has(field)) continue;
    const reason = rule(value);
    if (reason !== undefined) faults.push({ field, reason: `${reason}; got ${describeValue(value)}` });
  }
  return faults;
}

/** Creates the error for an invalid tool, with the field, value and rule of each fault. */
export function refuseTool(name: unknown, faults: readonly MetadataFault[]): ToolError {
  const toolName = typeof name === 'string' ? name : '';
  return new ToolError({
    code: 'invalid_arguments',
    message: `Tool ${describeValue(toolName)} cannot be made: ${faults.map(({ field, reason }) => `${field} ${reason}`).join('. ')}.`,
    toolName,
    field: faults[0]?.field,
    reason: faults[0]?.reason,
    issues: faults.map(({ field, reason }) => ({ path: [field], message: reason })),
  });
}

function checkExamples(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array of examples';
  for (const [index, example] of value.entries()) {
    if (!isPlainObject(example) || text(example['description']) !== undefined || !isPlainObject(example['input'])) {
      return `[${index}] must be { description: string, input: object }`;
    }
  }
  return undefined;
}
