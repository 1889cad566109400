import { z } from 'zod';

/** A JSON Schema that no other number gives: five fields, one of them nested. */
export function makeJsonSchema(number: number): Record<string, unknown> {
  return {
    type: 'object',
    properties: {
      [`query_${number}`]: { type: 'string', minLength: 1, description: 'What to look for.' },
      limit: { type: 'integer', minimum: 1, maximum: 100 + number },
      order: { type: 'string', enum: ['newest', 'oldest', `rank_${number}`] },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 10 },
      range: {
        type: 'object',
        properties: { from: { type: 'number' }, to: { type: 'number' } },
        required: ['from'],
        additionalProperties: false,
      },
    },
    required: [`query_${number}`, 'order'],
    additionalProperties: false,
  };
}

/** The same schema in zod. */
export function makeZodSchema(number: number): z.ZodType {
  return z.strictObject({
    [`query_${number}`]: z.string().min(1).describe('What to look for.'),
    limit: z
      .int()
      .min(1)
      .max(100 + number)
      .optional(),
    order: z.enum(['newest', 'oldest', `rank_${number}`]),
    tags: z.array(z.string()).max(10).optional(),
    range: z.strictObject({ from: z.number(), to: z.number().optional() }).optional(),
  });
}

/** A value that both schemas of this number accept. */
export function makeInput(number: number): Record<string, unknown> {
  return {
    [`query_${number}`]: 'pegs',
    limit: 10,
    order: 'newest',
    tags: ['tool', 'board'],
    range: { from: 1, to: 2 },
  };
}

/** `count` things, made from the numbers 0 to `count - 1`. */
export function makeMany<T>(count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, number) => make(number));
}
