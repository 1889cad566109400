// The TypeScript twin of every sample in the Atlas tools module document.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { AgentDefinition, runAgent, ToolBuilder } from '../../src/agent.ts';
import { ToolContext, ToolDefinition, ToolExecutor, ToolParameter, ToolRegistry, ToolResult } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';

class SearchTool extends ToolDefinition {
  name() {
    return 'search_web';
  }

  description() {
    return 'Search the web for information.';
  }

  override parameters() {
    return [
      ToolParameter.string('query', 'The search query'),
      ToolParameter.integer('limit', 'Max results', { required: false, default: 10 }),
    ];
  }

  handle(args: Record<string, unknown>) {
    return ToolResult.json({ query: args['query'], limit: args['limit'] });
  }
}

type Sum = { operation: 'add' | 'subtract' | 'multiply' | 'divide'; a: number; b: number };

class CalculatorTool extends ToolDefinition<Sum> {
  name() {
    return 'calculator';
  }

  description() {
    return 'Perform basic arithmetic calculations.';
  }

  override parameters() {
    return [
      ToolParameter.enum('operation', 'The operation', ['add', 'subtract', 'multiply', 'divide']),
      ToolParameter.number('a', 'First number'),
      ToolParameter.number('b', 'Second number'),
    ];
  }

  handle({ operation, a, b }: Sum) {
    if (operation === 'divide' && b === 0) return ToolResult.error('Cannot divide by zero');
    const result = { add: a + b, subtract: a - b, multiply: a * b, divide: a / b }[operation];
    return ToolResult.text(`Result: ${result}`);
  }
}

type Query = { table: string; where: { column: string; value: string }; limit: number };

class DatabaseQueryTool extends ToolDefinition<Query> {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    super();
    this.#db = db;
  }

  name() {
    return 'query_database';
  }

  description() {
    return 'Query the database for records.';
  }

  override parameters() {
    return [
      ToolParameter.string('table', 'Table name'),
      ToolParameter.object('where', 'Query conditions', [
        ToolParameter.string('column', 'Column name'),
        ToolParameter.string('value', 'Value to match'),
      ]),
      ToolParameter.integer('limit', 'Max records', { required: false, default: 100 }),
    ];
  }

  handle({ table, where, limit }: Query) {
    try {
      const rows = this.#db
        .prepare(`select * from "${table}" where "${where.column}" = ? limit ?`)
        .all(where.value, limit);
      return ToolResult.json(rows);
    } catch (error) {
      return ToolResult.error(`Query failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

describe('ToolContext', () => {
  it('is read, replaced and added to without changing', () => {
    const context = new ToolContext({ key: 'value' });
    expect(context.getMeta('key', 'default')).toBe('value');
    expect(context.getMeta('other', 'default')).toBe('default');
    expect(context.hasMeta('key')).toBe(true);
    const replaced = context.withMetadata({ new_key: 'value' });
    expect(replaced.metadata).toEqual({ new_key: 'value' });
    const merged = context.mergeMetadata({ additional: 'data' });
    expect(merged.metadata).toEqual({ key: 'value', additional: 'data' });
    expect(context.metadata).toEqual({ key: 'value' });
    expect(context.hasMeta('toString')).toBe(false);
  });
});

describe('ToolParameter', () => {
  it('has all seven kinds', () => {
    class EveryKind extends ToolDefinition {
      name() {
        return 'every_kind';
      }
      description() {
        return 'All parameters.';
      }
      override parameters() {
        return [
          ToolParameter.string('query', 'The search query', { required: true }),
          ToolParameter.integer('limit', 'Max results', { required: false, default: 10 }),
          ToolParameter.number('threshold', 'Confidence threshold'),
          ToolParameter.boolean('verbose', 'Enable verbose output', { required: false, default: false }),
          ToolParameter.enum('format', 'Output format', ['json', 'xml', 'csv']),
          ToolParameter.array('tags', 'List of tags', { items: { type: 'string' } }),
          ToolParameter.object('filter', 'Search filters', [
            ToolParameter.string('field', 'Field to filter'),
            ToolParameter.string('value', 'Filter value'),
          ]),
        ];
      }
      handle(args: object) {
        return ToolResult.json(args);
      }
    }
    expect(new EveryKind().inputSchema).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'The search query' },
        limit: { type: 'integer', description: 'Max results', default: 10 },
        threshold: { type: 'number', description: 'Confidence threshold' },
        verbose: { type: 'boolean', description: 'Enable verbose output', default: false },
        format: { type: 'string', enum: ['json', 'xml', 'csv'], description: 'Output format' },
        tags: { type: 'array', items: { type: 'string' }, description: 'List of tags' },
        filter: {
          type: 'object',
          properties: {
            field: { type: 'string', description: 'Field to filter' },
            value: { type: 'string', description: 'Filter value' },
          },
          required: ['field', 'value'],
          additionalProperties: false,
          description: 'Search filters',
        },
      },
      required: ['query', 'threshold', 'format', 'tags', 'filter'],
      additionalProperties: false,
    });
  });
});

describe('ToolResult', () => {
  it('is text, JSON or an error', () => {
    expect(ToolResult.text('Operation completed successfully').toJSON()).toEqual({
      text: 'Operation completed successfully',
      is_error: false,
    });
    const json = ToolResult.json({ status: 'ok', count: 42 });
    expect(json.text).toBe('{"status":"ok","count":42}');
    expect(json.succeeded()).toBe(true);
    const error = ToolResult.error('Failed to process: invalid input');
    expect(error.failed()).toBe(true);
    expect(error.toJSON()).toMatchObject({ text: 'Failed to process: invalid input', is_error: true });
  });
});

describe('registry', () => {
  it('takes classes and instances, and answers every query of the document', () => {
    const registry = new ToolRegistry();
    registry.register(SearchTool);
    const calculator = new CalculatorTool();
    registry.register(calculator);
    expect(registry.has('search_web')).toBe(true);
    expect(registry.get('calculator')).toBe(calculator);
    expect(registry.getAll()).toHaveLength(2);
    expect(registry.only(['calculator', 'nothing']).map((tool) => tool.metadata.name)).toEqual(['calculator']);
    expect(registry.names()).toEqual(['search_web', 'calculator']);
    expect(registry.size).toBe(2);
    expect(registry.remove('search_web')).toBe(true);
    registry.clear();
    expect(registry.size).toBe(0);
  });
});

describe('executor', () => {
  const executor = new ToolExecutor();

  it('runs a tool in a context', async () => {
    const result = await executor.execute(new SearchTool(), { query: 'search term' }, new ToolContext());
    expect(result.succeeded()).toBe(true);
    expect(result.text).toBe('{"query":"search term","limit":10}');
  });

  it('calculates, and says why it cannot', async () => {
    const tool = new CalculatorTool();
    expect((await executor.execute(tool, { operation: 'multiply', a: 6, b: 7 })).text).toBe('Result: 42');
    const failed = await executor.execute(tool, { operation: 'divide', a: 1, b: 0 });
    expect(failed.failed()).toBe(true);
    expect(failed.text).toBe('Cannot divide by zero');
    expect(failed.error).toMatchObject({ code: 'execution_failed', toolName: 'calculator' });
  });

  it('runs a tool that holds a connection', async () => {
    const db = new DatabaseSync(':memory:');
    db.exec("create table users (id integer, name text); insert into users values (1, 'Ada'), (2, 'Grace')");
    const tool = new DatabaseQueryTool(db);
    const found = await executor.execute(tool, { table: 'users', where: { column: 'name', value: 'Ada' } });
    expect(found.data).toEqual([{ id: 1, name: 'Ada' }]);
    const missing = await executor.execute(tool, { table: 'nothing', where: { column: 'name', value: 'Ada' } });
    expect(missing.text).toBe('Query failed: no such table: nothing');
  });

  it('passes the documented payloads to the hooks', async () => {
    const hooked = new ToolExecutor();
    const seen: unknown[] = [];
    hooked.hooks.on('tool.before_execute', (payload) => void seen.push(Object.keys(payload)));
    hooked.hooks.on('tool.after_execute', (payload) => void seen.push(Object.keys(payload)));
    await hooked.execute(new SearchTool(), { query: 'x' });
    expect(seen).toEqual([
      ['tool', 'args', 'context'],
      ['tool', 'args', 'context', 'result'],
    ]);
  });
});

describe('agents', () => {
  const db = new DatabaseSync(':memory:');
  const scripted = scriptedModel([
    { calls: [{ name: 'calculator', input: { operation: 'divide', a: 1, b: 0 } }] },
    ({ results }) => `I cannot: ${results[0]?.text}`,
  ]);

  class AssistantAgent extends AgentDefinition {
    provider() {
      return 'openai';
    }

    model() {
      return scripted;
    }

    override systemPrompt() {
      return 'You are a helpful assistant with access to tools.';
    }

    override tools() {
      return [CalculatorTool, SearchTool, new DatabaseQueryTool(db)];
    }

    override maxSteps() {
      return 5; // Allow up to 5 tool calls
    }
  }

  it('use tools from classes and instances, and read what went wrong', async () => {
    const result = await runAgent(AssistantAgent, 'What is 1 / 0?');
    expect(result.text).toBe('I cannot: Cannot divide by zero');
    expect(scripted.requests[0]).toMatchObject({
      system: 'You are a helpful assistant with access to tools.',
      tools: ['calculator', 'search_web', 'query_database'],
    });
  });

  it('have their tools built in all three ways', () => {
    const builder = new ToolBuilder();
    const context = new ToolContext({ user: 'Ada' });
    expect(Object.keys(builder.buildForAgent(new AssistantAgent(), context))).toEqual([
      'calculator',
      'search_web',
      'query_database',
    ]);
    expect(Object.keys(builder.buildFromClasses([SearchTool], context))).toEqual(['search_web']);
    expect(Object.keys(builder.buildFromInstances([new SearchTool(), new CalculatorTool()], context))).toEqual([
      'search_web',
      'calculator',
    ]);
  });
});
