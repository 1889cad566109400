import { describe, expect, it } from 'vitest';
import { formatError, formatNotification, formatRequest, formatResult, parseMessage } from './json-rpc.ts';

describe('parseMessage', () => {
  it('tells requests, notifications and answers apart', () => {
    expect(parseMessage(formatRequest('a', 'ping'))).toEqual({ type: 'request', id: 'a', method: 'ping' });
    expect(parseMessage(formatNotification('n', { x: 1 }))).toEqual({
      type: 'notification',
      method: 'n',
      params: { x: 1 },
    });
    expect(parseMessage(formatResult(7, '{"a":1}'))).toEqual({ type: 'result', id: 7, result: { a: 1 } });
    expect(parseMessage(formatError(7, { code: -1, message: 'No.' }))).toEqual({
      type: 'error',
      id: 7,
      error: { code: -1, message: 'No.' },
    });
  });

  it('reads an error whose parts are no text and no number', () => {
    const odd = '{"toString":1,"valueOf":1}';
    expect(parseMessage(`{"jsonrpc":"2.0","id":1,"error":{"code":${odd},"message":${odd}}}`)).toEqual({
      type: 'error',
      id: 1,
      error: { code: -32603, message: 'An error without a message.' },
    });
  });

  it.for([
    ['{"jsonrpc":"2.0",', -32700, undefined],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, undefined],
    ['"ping"', -32600, undefined],
    ['null', -32600, undefined],
    ['{"id":1,"method":"ping"}', -32600, 1],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, undefined],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, undefined],
    ['{"jsonrpc":"2.0","id":1,"method":5}', -32600, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1}', -32600, 1],
  ] as const)('says what is wrong with %s', ([text, code, id]) => {
    expect(parseMessage(text)).toMatchObject({ type: 'invalid', error: { code } });
    expect(parseMessage(text)).toHaveProperty('id', id);
  });
});
