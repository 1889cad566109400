// A tool as a class, for tools with state: here an open database.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { ToolDefinition, ToolParameter, ToolRegistry, ToolResult } from '../src/index.ts';

type Arguments = { city: string; limit: number };

class FindCustomers extends ToolDefinition<Arguments> {
  readonly #database: DatabaseSync;
  constructor(database: DatabaseSync) {
    super();
    this.#database = database;
  }
  name = () => 'find_customers';
  description = () => 'Find customers by the city they live in.';
  override parameters = () => [
    ToolParameter.string('city', 'The city'),
    ToolParameter.integer('limit', 'At most so many customers', { default: 10 }),
  ];
  handle({ city, limit }: Arguments) {
    const rows = this.#database.prepare('select name from customers where city = ? limit ?').all(city, limit);
    return rows.length > 0 ? ToolResult.json(rows) : ToolResult.error(`No customers in ${city}. Try a larger city.`);
  }
}

const database = new DatabaseSync(':memory:');
database.exec(`create table customers (name text, city text);
  insert into customers values ('Ada', 'London'), ('Grace', 'New York'), ('Alan', 'London')`);

const board = new ToolRegistry().register(new FindCustomers(database));
const london = await board.call('find_customers', { city: 'London' });
const lima = await board.call('find_customers', { city: 'Lima' });
console.log(`${london.text}\n${lima.text}`);

assert.equal(london.text, '[{"name":"Ada"},{"name":"Alan"}]');
assert.equal(lima.failed(), true);
