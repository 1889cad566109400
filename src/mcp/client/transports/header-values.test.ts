import { describe, expect, it } from 'vitest';
import { encodeHeaderValue, findParameterHeaders, parameterHeaders } from './header-values.ts';

const schema = (properties: Record<string, unknown>, more = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  ...more,
});

describe('findParameterHeaders', () => {
  it('finds annotated arguments, also inside of others', () => {
    const found = findParameterHeaders(
      schema({
        region: { type: 'string', 'x-mcp-header': 'Region' },
        where: schema({ zone: { type: 'integer', 'x-mcp-header': 'Zone' } }),
        plain: { type: 'string', default: { 'x-mcp-header': 'no schema' } },
      }),
    );
    expect(found).toEqual({
      ok: true,
      headers: [
        { header: 'Mcp-Param-Region', path: ['region'] },
        { header: 'Mcp-Param-Zone', path: ['where', 'zone'] },
      ],
    });
    const wanted = found.ok ? found.headers : [];
    expect(parameterHeaders(wanted, { region: 'eu', where: { zone: 7 } })).toEqual({
      'Mcp-Param-Region': 'eu',
      'Mcp-Param-Zone': '7',
    });
    expect(parameterHeaders(wanted, { region: null })).toEqual({});
  });

  it.for([
    [schema({ a: { type: 'string', 'x-mcp-header': '' } }), 'no header name'],
    [schema({ a: { type: 'string', 'x-mcp-header': 'a b' } }), 'no header name'],
    [schema({ a: { type: 'string', 'x-mcp-header': 'a\r\nx: y' } }), 'no header name'],
    [schema({ a: { type: 'number', 'x-mcp-header': 'A' } }), 'use string, integer or boolean'],
    [
      schema({ a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }),
      'two arguments',
    ],
    [schema({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }), 'a place that is no argument'],
    [schema({}, { anyOf: [schema({ a: { type: 'string', 'x-mcp-header': 'A' } })] }), 'a place that is no argument'],
  ] as const)('refuses %j', ([given, fault]) => {
    expect(findParameterHeaders(given)).toEqual({
      ok: false,
      fault: expect.stringContaining(fault),
    });
  });
});

describe('encodeHeaderValue', () => {
  it.for([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['', ''],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('writes %j as %j', ([value = '', header]) => {
    expect(encodeHeaderValue(value)).toBe(header);
  });
});
