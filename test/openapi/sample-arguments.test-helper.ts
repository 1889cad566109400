import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'ada@example.com',
  ipv4: '192.0.2.1',
  uri: 'https://example.com/a',
  url: 'https://example.com/a',
  uuid: '9f1c3a52-9a3a-4c4f-8f53-0d8d3ad4c1aa',
};
const MAX_DEPTH = 4;

/** Arguments of a call that a schema allows, as far as a simple sampler finds them: only what is required, or all there is. */
export function sampleArguments(schema: Schema, extent: 'minimal' | 'full'): unknown {
  const definitions = (schema['$defs'] ?? {}) as Record<string, Schema>; // As the importer writes them.
  return sample(schema, { isFull: extent === 'full', depth: 0, definitions });
}

interface Sampling {
  readonly isFull: boolean;
  readonly depth: number;
  readonly definitions: Readonly<Record<string, Schema>>;
}

function sample(given: unknown, sampling: Sampling): unknown {
  const schema = flatten(given, sampling.definitions);
  const inner = { ...sampling, depth: sampling.depth + 1 };
  if (schema['const'] !== undefined) return schema['const'];
  const { enum: values, type: types, examples } = schema;
  if (Array.isArray(values)) return values.find((value) => value !== null) ?? values[0];
  const choice = [schema['anyOf'], schema['oneOf']].find((parts) => Array.isArray(parts)) as Schema[] | undefined;
  if (choice !== undefined) {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const index = sampling.isFull ? choice.length - 1 : 0;
    return sample({ ...rest, allOf: [choice[index] ?? {}] }, sampling);
  }
  const type = [types].flat().find((name) => name !== 'null') ?? guessType(schema);
  switch (type) {
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
      const required = (schema['required'] ?? []) as string[];
      const isEnough = !sampling.isFull || sampling.depth >= MAX_DEPTH;
      const names = isEnough ? required : [...new Set([...Object.keys(properties), ...required])];
      const entries = names.map((name) => [name, sample(properties[name] ?? {}, inner)] as const);
      const open = schema['additionalProperties'];
      const least = Number(schema['minProperties'] ?? 0);
      for (const [name, part] of Object.entries(properties))
        if (entries.length < least && !names.includes(name)) entries.push([name, sample(part, inner)]);
      // An empty object in a form would not be sent.
      const [first] = Object.entries(properties);
      if (entries.length === 0 && sampling.depth > 1 && sampling.depth < 2 * MAX_DEPTH && first !== undefined)
        entries.push([first[0], sample(first[1], inner)]);
      const isOpen = typeof open === 'object' && (!isEnough || entries.length < least);
      return Object.fromEntries(isOpen ? [...entries, ['extra', sample(open, inner)]] : entries);
    }
    case 'array': {
      const least = Math.max(
        Number(schema['minItems'] ?? 0),
        sampling.isFull && sampling.depth < MAX_DEPTH
          ? 2
          : sampling.depth > 1 && sampling.depth < 2 * MAX_DEPTH
            ? 1
            : 0,
      );
      const count = Math.min(least, Number(schema['maxItems'] ?? least));
      const items = Array.from({ length: count }, () => sample(schema['items'] ?? {}, inner));
      return schema['uniqueItems'] === true
        ? items.filter(
            (item, index) => items.findIndex((other) => JSON.stringify(other) === JSON.stringify(item)) === index,
          )
        : items;
    }
    case 'integer':
    case 'number': {
      const least = Number(
        schema['minimum'] ?? (schema['exclusiveMinimum'] === undefined ? 1 : Number(schema['exclusiveMinimum']) + 1),
      );
      const most = Number(
        schema['maximum'] ??
          (schema['exclusiveMaximum'] === undefined ? least + 1 : Number(schema['exclusiveMaximum']) - 1),
      );
      return Math.min(Math.max(least, Number(schema['multipleOf'] ?? least)), most);
    }
    case 'boolean':
      return sampling.isFull;
    case 'null':
      return null;
    default:
      return sampleText(schema, Array.isArray(examples) ? examples : []);
  }
}

function sampleText(schema: Schema, examples: readonly unknown[]): unknown {
  const { pattern, format, minLength = 0, maxLength } = schema;
  if (typeof pattern === 'string') {
    const isFit = (value: unknown): boolean =>
      typeof value === 'string' && new RegExp(pattern).test(value) && value.length >= Number(minLength);
    const shown = examples.find(isFit);
    if (shown !== undefined) return shown;
    return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 20, seed: 7 }).find(isFit) ?? 'a b';
  }
  const text = FORMATS[typeof format === 'string' ? format : ''] ?? 'a b,c/d&e=f';
  const long = text.padEnd(Number(minLength), 'x');
  return maxLength === undefined ? long : long.slice(0, Number(maxLength));
}

/** A schema with its references and `allOf` put together, as far as a sample needs it. */
function flatten(given: unknown, definitions: Readonly<Record<string, Schema>>, hops = 0): Schema {
  if (typeof given !== 'object' || given === null) return {};
  const { $ref, allOf, ...rest } = given as Schema;
  const name = typeof $ref === 'string' ? decodeURIComponent($ref.replace('#/$defs/', '')) : undefined;
  const parts = [
    ...(name === undefined ? [] : [definitions[name]]),
    ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
  ];
  if (parts.length === 0 || hops > 20) return rest;
  const merged: Record<string, unknown> = { ...rest };
  for (const part of parts.map((one) => flatten(one, definitions, hops + 1))) {
    for (const [key, value] of Object.entries(part)) {
      if (key === 'properties') merged[key] = { ...(merged[key] as Schema | undefined), ...(value as Schema) };
      else if (key === 'required') merged[key] = [...((merged[key] ?? []) as string[]), ...(value as string[])];
      else merged[key] ??= value;
    }
  }
  return merged;
}

function guessType(schema: Schema): string {
  if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object';
  return schema['items'] === undefined ? 'string' : 'array';
}
