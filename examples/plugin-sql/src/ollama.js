import { defineExporter, resultText } from 'pegboard/export';

/** `pegboard export --format ollama`: the tools of Ollama's chat API. */
export const ollama = defineExporter({
  format: 'ollama',
  provider: 'Ollama',
  names: { character: /[A-Za-z0-9_-]/, maxLength: 64 },
  schema: { accepts: 'json-schema', refs: 'inline' },
  writeTool: ({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  }),
  findCalls: (response) =>
    readCalls(response).map((call) => {
      const { name, arguments: args } = toObject(toObject(call)['function']);
      return { id: toObject(call)['id'], name, args };
    }),
  writeResults: (answers) =>
    answers.map(({ name, result }) => ({ role: 'tool', tool_name: name, content: resultText(result) })),
});

/**
 * @param {unknown} response
 * @returns {unknown[]}
 */
function readCalls(response) {
  const calls = toObject(toObject(response)['message'])['tool_calls'];
  return Array.isArray(calls) ? calls : [];
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function toObject(value) {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
