import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { defineKind, defineTool, ToolResult } from 'pegboard';
import { findQueryFaults } from './query-faults.js';
import { queryDatabase, tryQuery } from './query-database.js';

/**
 * The settings of an entry with `type: sql`, with defaults.
 *
 * @typedef {object} SqlSettings
 * @property {string} database The absolute path of the file.
 * @property {string} query
 * @property {Record<string, import('pegboard').JsonSchema>} params The schema of each parameter.
 * @property {boolean} isWriting
 * @property {number} rows The most rows of an answer.
 */

const TYPES = ['string', 'integer', 'number', 'boolean'];

/** `type: sql`: a query of a SQLite database, with named parameters. */
export const sql = defineKind({
  type: 'sql',
  schema: {
    type: 'object',
    properties: {
      database: { type: 'string', minLength: 1, description: 'A SQLite file, relative to this one' },
      query: { type: 'string', minLength: 1, description: 'One statement; parameters are written :name' },
      params: {
        type: 'object',
        description: 'The parameters: a type, or a JSON Schema. One with a default may be left out',
        additionalProperties: {
          anyOf: [
            { type: 'string', enum: TYPES },
            { type: 'object', properties: { type: { type: 'string', enum: TYPES } }, required: ['type'] },
          ],
        },
      },
      write: { type: 'boolean', description: 'Opens the database for writing (default: false)' },
      rows: { type: 'integer', minimum: 1, maximum: 10_000, description: 'The most rows of an answer (default: 100)' },
    },
    required: ['database', 'query'],
  },
  paths: ['database'],
  read: (written) => readSettings(written),
  guessRisk: ({ isWriting }) => (isWriting ? 'write' : 'read'),
  check: ({ settings }) => findQueryFaults(settings.query, Object.keys(settings.params)),
  tools: ({ metadata, settings }) => [
    defineTool({
      ...metadata,
      schema: toInputSchema(settings),
      execute: (input) => {
        const answer = queryDatabase(settings, input);
        const { rows, changes, hasMore } = answer;
        const lines = rows.map((row) => JSON.stringify(row));
        if (hasMore) lines.push(`There are more rows. These are the first ${rows.length}: ask for fewer.`);
        if (changes !== undefined) lines.push(`${changes} rows changed.`);
        return ToolResult.from({ text: lines.join('\n') || 'No rows.', data: answer });
      },
    }),
  ],
  // A value that is bound opens no file: only what the author marks is a path.
  pathArguments: ({ settings, paths = [] }, { cwd }) => {
    const marked = Object.keys(settings.params).filter((name) => settings.params[name]?.['format'] === 'path');
    return { names: [...new Set([...paths, ...marked])], folders: () => [cwd] };
  },
  dryRun: ({ entry: { settings }, input }) => [
    {
      type: 'action',
      title: `${settings.isWriting ? 'change' : 'query'} ${settings.database}`,
      details: { query: settings.query, parameters: input },
    },
  ],
  describe: ({ settings: { database, query, isWriting, rows } }) => [
    ['database', `${database}, ${isWriting ? 'opened for writing' : 'read only'}`],
    ['query', query],
    ['rows', `${rows} at most`],
  ],
  doctor: ({ settings }, { cwd }) => {
    const name = relative(cwd, settings.database) || settings.database;
    const problem = existsSync(settings.database) ? tryQuery(settings) : 'is not there';
    const status = problem === undefined ? 'ok' : 'missing';
    return [{ need: 'own', kind: 'database', name, status, detail: problem ?? 'answers' }];
  },
});

/**
 * @param {Readonly<Record<string, any>>} written Checked against the schema just before.
 * @returns {SqlSettings}
 */
function readSettings({ database, query, params = {}, write = false, rows = 100 }) {
  const given = Object.entries(params).map(([name, param]) => [
    name,
    typeof param === 'string' ? { type: param } : param,
  ]);
  return {
    database,
    query,
    params: Object.fromEntries(given),
    isWriting: write,
    rows,
  };
}

/**
 * @param {SqlSettings} settings
 * @returns {import('pegboard').JsonSchema}
 */
function toInputSchema({ params }) {
  const required = Object.keys(params).filter((name) => params[name]?.['default'] === undefined);
  return { type: 'object', properties: params, required, additionalProperties: false };
}
