const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** The schemas that all operations of the document share. Those of tools have a dot in their names. */
export const SHARED_SCHEMAS: Readonly<Record<string, unknown>> = {
  Result: {
    type: 'object',
    properties: {
      text: { ...text, description: 'The answer as text' },
      data: { description: "The tool's own output, where it is more than text" },
      content: { type: 'array', items: { type: 'object' }, description: 'The answer in pieces, as MCP has them' },
      truncated: {
        type: 'object',
        description: 'Set where the text was shortened: read the whole at /outputs/ID',
        properties: { from: { type: 'integer' }, to: { type: 'integer' }, id: text },
      },
      notices: { type: 'array', items: text },
      callId: text,
    },
    required: ['text'],
  },
  Waiting: {
    type: 'object',
    properties: {
      status: { const: 'waiting' },
      approval: { type: 'object', properties: { id: text, url: text }, required: ['id', 'url'] },
      idempotencyKey: { ...text, description: 'Send it as the header Idempotency-Key when you make the call again' },
      message: text,
    },
    required: ['status', 'approval', 'idempotencyKey', 'message'],
  },
  Approval: {
    type: 'object',
    properties: {
      id: text,
      tool: text,
      status: { enum: ['waiting', 'allowed', 'denied', 'expired', 'ended', 'spent'] },
      idempotencyKey: text,
      createdAt: time,
      expiresAt: time,
      reason: { ...text, description: 'Why it was denied' },
    },
    required: ['id', 'tool', 'status', 'idempotencyKey', 'createdAt', 'expiresAt'],
  },
  Output: {
    type: 'object',
    properties: {
      id: text,
      offset: { type: 'integer' },
      lines: { type: 'array', items: text },
      next: { type: 'integer', description: 'The offset of the next page; missing at the end' },
      total: { type: 'integer', description: 'Lines of the whole output' },
    },
    required: ['id', 'offset', 'lines', 'total'],
  },
  Failure: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: { ...text, description: 'Stays the same where messages change' },
          message: text,
          tool: text,
          field: { ...text, description: 'The argument at fault' },
          reason: text,
          issues: {
            type: 'array',
            description: 'All that is wrong with the arguments',
            items: {
              type: 'object',
              properties: { path: { type: 'array', items: { type: ['string', 'integer'] } }, message: text },
              required: ['path', 'message'],
            },
          },
          recoverable: { type: 'boolean', description: 'Whether the same call may succeed later' },
        },
        required: ['code', 'message'],
      },
      callId: text,
    },
    required: ['error'],
  },
};

const json = (name: string): Readonly<Record<string, unknown>> => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});

/** The answers that all operations share. */
export const SHARED_RESPONSES: Readonly<Record<string, unknown>> = {
  Waiting: {
    description: 'A person must approve the call first. Look at Location, then make the call again.',
    headers: { Location: { schema: text }, 'Retry-After': { schema: { type: 'integer' } } },
    content: json('Waiting'),
  },
  Failure: {
    description: 'What went wrong, and what to change.',
    headers: { 'Retry-After': { schema: { type: 'integer' } } },
    content: json('Failure'),
  },
};
