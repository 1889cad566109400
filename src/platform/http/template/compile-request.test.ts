import { describe, expect, it } from 'vitest';
import { type CompileOptions } from './template.ts';
import { compileRequest, type RequestDefinition } from './compile-request.ts';
import type { HttpRequest } from '../http-messages.ts';

function render(definition: RequestDefinition, args: Record<string, unknown>, options?: CompileOptions): HttpRequest {
  const compilation = compileRequest(definition, options);
  if (!compilation.ok) throw new Error(JSON.stringify(compilation.faults));
  return compilation.request.render(args);
}

function faultsOf(definition: RequestDefinition, options?: CompileOptions): string[] {
  const compilation = compileRequest(definition, options);
  return compilation.ok ? [] : compilation.faults.map(({ path, message }) => `${path.join('.')} ${message}`);
}

const refusal = (definition: RequestDefinition, args: Record<string, unknown>): unknown => {
  try {
    return render(definition, args);
  } catch (error) {
    return error;
  }
};

describe('a path', () => {
  const url = 'https://api.example.com/users/{{id}}/posts';

  it('accepts a value as one segment', () => {
    expect(render({ url }, { id: 'a/b?c#d&e=f %2e' }).url).toBe(
      'https://api.example.com/users/a%2Fb%3Fc%23d%26e%3Df%20%252e/posts',
    );
  });

  it.each([
    ['../admin'],
    ['..%2f..'],
    ['%2e%2e'],
    ['//evil.example'],
    ['@evil.example'],
    ['\\\\evil.example'],
    ['..\\'],
    ['x\r\ny'],
  ])('keeps %j inside its segment', (id) => {
    const { origin, pathname } = new URL(render({ url }, { id }).url);
    expect(origin).toBe('https://api.example.com');
    const segments = pathname.split('/');
    expect(segments).toHaveLength(4);
    expect(decodeURIComponent(segments[2] ?? '')).toBe(id);
  });

  it.each([
    ['.', 'makes the segment "." or ".."'],
    ['..', 'makes the segment "." or ".."'],
    ['', 'is empty'],
    ['\ud800', 'contains half of a surrogate pair, which is not text'],
  ])('refuses %j', (id, reason) => {
    expect(refusal({ url }, { id })).toMatchObject({
      code: 'invalid_arguments',
      field: 'id',
      reason,
      message: `Argument "id" cannot go into the path of the url: it ${reason}. Send another value.`,
    });
  });

  it('refuses values that make ".." only together, or with the text around them', () => {
    expect(refusal({ url: 'http://h/{{a}}{{b}}' }, { a: '.', b: '.' })).toMatchObject({ code: 'invalid_arguments' });
    expect(refusal({ url: 'http://h/.{{a}}' }, { a: '.' })).toMatchObject({ code: 'invalid_arguments' });
    expect(refusal({ url: 'http://h/%2e{{a}}/x' }, { a: '.' })).toMatchObject({ code: 'invalid_arguments' });
  });

  it('names the argument that is missing', () => {
    expect(refusal({ url }, {})).toMatchObject({
      code: 'invalid_arguments',
      field: 'id',
      message: 'Argument "id" is missing: the path of the url needs it. Send a value for "id".',
    });
  });

  it('uses defaults, numbers, booleans and lists', () => {
    expect(
      render({ url: 'http://h/{{a:-x y}}/{{b}}/{{c}}/{{d}}' }, { b: 9007199254740991, c: false, d: ['p', 'q/r'] }).url,
    ).toBe('http://h/x%20y/9007199254740991/false/p,q%2Fr');
  });

  it('expands once: a value that looks like a placeholder stays text', () => {
    expect(render({ url: 'http://h/{{a}}/{{b}}' }, { a: '{{b}}', b: 'secret' }).url).toBe(
      'http://h/%7B%7Bb%7D%7D/secret',
    );
  });

  it('does not read inherited properties as arguments', () => {
    expect(refusal({ url: 'http://h/{{constructor}}' }, {})).toMatchObject({
      field: 'constructor',
      reason: 'is missing',
    });
  });

  it('encodes its own literal text', () => {
    expect(render({ url: 'http://h/größe x/%20{{a}}' }, { a: 1 }).url).toBe('http://h/gr%C3%B6%C3%9Fe%20x/%201');
  });
});

describe('a host', () => {
  it.each([
    ['{{url}}', 'must begin with a scheme and a host, not with a placeholder'],
    ['{{base}}/x', 'must begin with a scheme and a host, not with a placeholder'],
    ['{{scheme}}://h/', 'has a placeholder in its scheme, host or port: a call could then reach any server'],
    ['http://{{host}}/', 'has a placeholder in its scheme, host or port: a call could then reach any server'],
    ['http://api{{x}}/', 'has a placeholder in its scheme, host or port: a call could then reach any server'],
    ['http://h:{{port}}/', 'has a placeholder in its scheme, host or port: a call could then reach any server'],
    ['http://h\\{{x}}', 'has a "\\" after the host: write "/"'],
    ['/items', 'must be absolute, such as https://api.example.com/items/{{id}}, or stand after a base_url'],
    ['ftp://h/', 'must be an http:// or https:// address with a valid host'],
    ['http://h/a/../b', 'has a "." or ".." segment: write the path it leads to'],
  ])('refuses %j when the config is loaded', (url, reason) => {
    expect(faultsOf({ url })).toEqual([`url ${reason}; got "${url}".`]);
  });

  it('refuses credentials and does not show them', () => {
    expect(faultsOf({ url: 'http://user:hunter2@h/?key=abc' })).toEqual([
      'url must not contain credentials: send them in an Authorization header; got "http:…h/…".',
    ]);
  });

  it('takes a plain name where the config allows it, and nothing else', () => {
    const url = 'https://{{region}}.example.com:{{port:-443}}/x';
    const options = { allowHostPlaceholders: true };
    expect(render({ url }, { region: 'eu-1' }, options).url).toBe('https://eu-1.example.com/x');
    for (const region of ['evil.example/', 'a@b', 'a:1', 'a#', 'a\\', '[::1]', 'ä']) {
      expect(() => render({ url }, { region }, options)).toThrow(
        expect.objectContaining({
          code: 'invalid_arguments',
          field: 'region',
          reason: 'may contain only A-Z a-z 0-9 . -',
        }),
      );
    }
  });
});

describe('a query', () => {
  it('encodes values, repeats lists, and leaves out what has no value', () => {
    const request = render(
      {
        url: 'http://h/?fixed=1&q={{q}}&flag&gone={{gone}}',
        query: { list: '{{list}}', on: '{{on}}', 'a b': 'c d', n: 5, also: '{{also}}', not: null, two: ['x', '{{q}}'] },
      },
      { q: 'a&b=c#d+e', list: ['x', 'y&z', 3], on: true, also: null },
    );
    expect(request.url).toBe(
      'http://h/?fixed=1&q=a%26b%3Dc%23d%2Be&flag&list=x&list=y%26z&list=3&on=true&a%20b=c%20d&n=5&two=x&two=a%26b%3Dc%23d%2Be',
    );
  });

  it('keeps an empty value, and sends an object as JSON', () => {
    expect(render({ url: 'http://h/', query: { a: '{{a}}', b: '{{b}}' } }, { a: '', b: { c: 1 } }).url).toBe(
      'http://h/?a=&b=%7B%22c%22%3A1%7D',
    );
  });

  it('refuses an entry with only some of its arguments', () => {
    expect(refusal({ url: 'http://h/', query: { q: '{{a}} in:{{b}}' } }, { a: 'x' })).toMatchObject({
      message: 'Argument "b" is missing: the value "q" needs it. Send a value for "b".',
    });
  });

  it('refuses placeholders as names', () => {
    expect(faultsOf({ url: 'http://h/?{{a}}', query: { '{{b}}': 1 } })).toEqual([
      'url must not have a placeholder where the name of a value stands: write name={{value}}.',
      'query.{{b}} must not have a placeholder in its name.',
    ]);
  });
});

describe('headers', () => {
  const definition = { url: 'http://h/', headers: { 'X-Id': 'id {{id}}', Accept: 'text/plain' } };

  it.each([
    ['a\r\nX-Evil: 1', 'contains a line break or NUL'],
    ['a\n', 'contains a line break or NUL'],
    ['a\0', 'contains a line break or NUL'],
    ['a\x1b', 'contains a control character or one outside latin-1'],
    ['€', 'contains a control character or one outside latin-1'],
    ['a ', 'begins or ends with a blank'],
  ])('refuse %j and name the argument', (id, reason) => {
    expect(refusal(definition, { id })).toMatchObject({
      code: 'invalid_arguments',
      field: 'id',
      message: `Argument "id" cannot go into the header "X-Id": it ${reason}. Send another value.`,
    });
  });

  it('leave out those without a value', () => {
    expect(render(definition, {}).headers).toEqual({ Accept: 'text/plain' });
    expect(render(definition, { id: 'ä' }).headers).toEqual({ 'X-Id': 'id ä', Accept: 'text/plain' });
  });

  it('send only cookies with values, and refuse one that contains another', () => {
    const cookies = { url: 'http://h/', headers: { Cookie: 'a={{a}}; b={{b}}; c=1' } };
    expect(render(cookies, { b: 'x' }).headers).toEqual({ Cookie: 'b=x; c=1' });
    expect(refusal(cookies, { a: 'x; admin=1' })).toMatchObject({ code: 'invalid_arguments', field: 'a' });
  });

  it('are checked when the config is loaded', () => {
    const headers = { 'Bad Name': 'x', 'Content-Length': '5', Host: '{{h}}', 'X-A': 'a\nb', 'x-a': 'c' };
    expect(faultsOf({ url: 'http://h/', headers })).toEqual([
      'headers.Bad Name is not a header name. Use letters, digits and hyphens.',
      'headers.Content-Length is set by Pegboard itself. Leave it out.',
      'headers.Host must not contain a placeholder: it names the server.',
      'headers.X-A contains a line break, a control character or one outside latin-1. Take it out.',
      'headers.x-a is given twice. Header names ignore case.',
    ]);
  });
});

describe('a body', () => {
  const post = (body: unknown, args: Record<string, unknown>, rest: Partial<RequestDefinition> = {}): HttpRequest =>
    render({ url: 'http://h/', method: 'post', body, ...rest }, args);

  it('takes values with their JSON types, and as text inside longer text', () => {
    const body = {
      n: '{{n}}',
      text: 'n is {{n}}, {{list}}',
      list: '{{list}}',
      deep: [{ on: '{{on}}' }, 1, null],
      nil: '{{nil}}',
    };
    const request = post(body, { n: 1, list: [1, 'b'], on: true, nil: null });
    expect(JSON.parse(String(request.body))).toEqual({
      n: 1,
      text: 'n is 1, [1,"b"]',
      list: [1, 'b'],
      deep: [{ on: true }, 1, null],
      nil: null,
    });
    expect(request).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  });

  it('leaves out keys and items without a value', () => {
    expect(post({ a: '{{a}}', b: ['{{a}}', 'x {{a}}'], c: 1 }, {}).body).toBe('{"b":[],"c":1}');
  });

  it('never lets a value escape its string', () => {
    const value = '","admin":true,"x":"';
    expect(JSON.parse(String(post({ a: 'x{{v}}', b: '{{v}}' }, { v: value }).body))).toEqual({
      a: `x${value}`,
      b: value,
    });
    const json = { headers: { 'Content-Type': 'application/json' } };
    expect(
      JSON.parse(String(post('{"a": "x{{v}}", "b": {{v}}, "\\"": {{n}}}', { v: value, n: [1] }, json).body)),
    ).toEqual({
      a: `x${value}`,
      b: value,
      '"': [1],
    });
  });

  it('converts a default to the type of its argument', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' }, s: { type: 'string' } } };
    const definition = { url: 'http://h/', body: { n: '{{n:-5}}', s: '{{s:-5}}' } };
    expect(render(definition, {}, { schema }).body).toBe('{"n":5,"s":"5"}');
  });

  it('keeps a key called __proto__', () => {
    expect(post(JSON.parse('{"__proto__":"{{a}}"}'), { a: 1 }).body).toBe('{"__proto__":1}');
  });

  it('is a form if the content type says so', () => {
    const rest = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
    const args = { a: 'x&y=z', list: [1, 2] };
    expect(post({ a: '{{a}}', list: '{{list}}', gone: '{{gone}}' }, args, rest).body).toBe('a=x%26y%3Dz&list=1&list=2');
    expect(post('a={{a}}&b=1', args, rest).body).toBe('a=x%26y%3Dz&b=1');
  });

  it('is text otherwise, escaped in XML', () => {
    expect(post('Hello {{name}}', { name: '"A"\n' })).toMatchObject({
      body: 'Hello "A"\n',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    const xml = { headers: { 'Content-Type': 'application/soap+xml' } };
    expect(post('<a b="{{v}}"/>', { v: `"/><evil x='&'` }, xml).body).toBe(
      '<a b="&quot;/&gt;&lt;evil x=&apos;&amp;&apos;"/>',
    );
  });

  it('is a whole XML document when it is a single placeholder', () => {
    expect(post('{{xml}}', { xml: '<a/>' }, { headers: { 'Content-Type': 'text/xml' } }).body).toBe('<a/>');
  });

  it('is left out when its only argument is missing', () => {
    expect(post('{{body}}', {}).body).toBeUndefined();
    expect(post('{{body}}', {}, { headers: { 'Content-Type': 'application/json' } }).body).toBeUndefined();
  });

  it('is checked when the config is loaded', () => {
    expect(faultsOf({ url: 'http://h/', body: 'x', headers: { 'Content-Type': 'multipart/form-data' } })).toEqual([
      'body cannot be sent as multipart/form-data. Use multipart instead of body.',
    ]);
    expect(faultsOf({ url: 'http://h/', body: '{"a": {{a}', headers: { 'Content-Type': 'application/json' } })).toEqual(
      ['body must be JSON, as its Content-Type says. Placeholders may be inside quotes or in place of a value.'],
    );
  });
});

describe('compileRequest', () => {
  it('reports all faults together, with places', () => {
    const schema = { type: 'object', properties: { id: {} } };
    const compilation = compileRequest(
      { url: 'http://h/{{idd}}', method: 'trace', query: { a: '{{b' }, body: { c: [{ d: '{{id}} {{e}}' }] } },
      { schema },
    );
    expect(compilation).toEqual({
      ok: false,
      faults: [
        {
          path: ['method'],
          message: 'is not a method that can be sent; got "TRACE". Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.',
        },
        {
          path: ['url'],
          message: 'unknown argument "idd". Did you mean "id"? Use one of: id.',
          range: { start: 9, end: 16 },
        },
        {
          path: ['query', 'a'],
          message: 'placeholder "{{b" is not closed. End it with "}}".',
          range: { start: 0, end: 3 },
        },
        { path: ['body', 'c', 0, 'd'], message: 'unknown argument "e". Use one of: id.', range: { start: 7, end: 12 } },
      ],
    });
  });

  it('interpolates literal text only after placeholders were found', () => {
    const interpolate = (text: string): string => text.replaceAll('${TOKEN}', 'a{{id}}b');
    const definition = { url: 'http://h/', headers: { Authorization: 'Bearer ${TOKEN}' } };
    expect(render(definition, { id: 'x' }, { interpolate }).headers).toEqual({ Authorization: 'Bearer a{{id}}b' });
  });

  it('reads the http tools of ctx files', () => {
    const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer {{token}}' };
    const definition = { url: 'https://example.com/api/{{endpoint}}', method: 'GET', headers };
    expect(render(definition, { endpoint: 'users', token: 'abc' })).toEqual({
      method: 'GET',
      url: 'https://example.com/api/users',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer abc' },
      body: undefined,
    });
  });
});

describe('styles', () => {
  const url = 'https://api.example.com/';
  const value = { ids: ['a,b', 2, null], filter: { tags: ['x', 'y'], from: { day: '1&2' }, none: null } };
  it.each([
    [
      undefined,
      'ids=a%2Cb&ids=2',
      'filter=%7B%22tags%22%3A%5B%22x%22%2C%22y%22%5D%2C%22from%22%3A%7B%22day%22%3A%221%262%22%7D%2C%22none%22%3Anull%7D',
    ],
    ['comma', 'ids=a%2Cb,2', 'filter=tags,%5B%22x%22%2C%22y%22%5D,from,%7B%22day%22%3A%221%262%22%7D'],
    ['space', 'ids=a%2Cb%202', undefined],
    ['pipe', 'ids=a%2Cb%7C2', undefined],
    ['tab', 'ids=a%2Cb%092', undefined],
    [
      'deep',
      'ids%5B0%5D=a%2Cb&ids%5B1%5D=2',
      'filter%5Btags%5D%5B0%5D=x&filter%5Btags%5D%5B1%5D=y&filter%5Bfrom%5D%5Bday%5D=1%262',
    ],
    ['spread', 'ids=a%2Cb&ids=2', 'tags=x&tags=y&from=%7B%22day%22%3A%221%262%22%7D'],
    ['json', 'ids=%5B%22a%2Cb%22%2C2%2Cnull%5D', undefined],
  ] as const)('write lists and objects as %s says, in a query and in a form', (style, list, object) => {
    for (const [name, expected] of [
      ['ids', list],
      ['filter', object],
    ] as const) {
      if (expected === undefined) continue;
      const styles = style === undefined ? {} : { [name]: style };
      const section = { [name]: `{{${name}}}` };
      expect(render({ url, query: section }, value, { styles }).url).toBe(`${url}?${expected}`);
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      expect(render({ url, method: 'POST', headers, body: section }, value, { styles }).body).toBe(expected);
    }
  });

  it('send nothing for an empty list, and refuse keys that imitate those of the request', () => {
    expect(render({ url, query: { a: '{{a}}' } }, { a: [] }, { styles: { a: 'comma' } }).url).toBe(url);
    const compilation = compileRequest({ url, query: { all: '{{all}}', key: 'k' } }, { styles: { all: 'spread' } });
    expect(() => compilation.ok && compilation.request.render({ all: { key: 'mine' } })).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', reason: 'has "key", which the request sets itself' }),
    );
  });
});
