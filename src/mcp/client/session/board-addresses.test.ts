import { expect, it } from 'vitest';
import { withBoardAddresses } from './board-addresses.ts';

const toBoard = (uri: string): string => `pegboard://s/${uri}`;

it('passes on as it is what has no address', () => {
  const result = {
    content: [
      { type: 'text', text: 'a://b' },
      { type: 'image', data: '', mimeType: 'image/png' },
    ],
    structuredContent: { uri: 'a://b', content: 5 },
    _meta: {},
  };
  expect(withBoardAddresses(result, toBoard)).toBe(result);
});

it('changes addresses of links, resources, messages and contents, and copies no more than that', () => {
  const text = { type: 'text', text: 'hi' };
  const link = { type: 'resource_link', uri: 'a://1', name: 'one' };
  const resource = { type: 'resource', resource: { uri: 'a://2', text: 'two' } };
  const result = { content: [text, link, resource, { type: 'resource', resource: 5 }] };
  const changed = withBoardAddresses(result, toBoard);
  expect(changed).toEqual({
    content: [
      text,
      { ...link, uri: 'pegboard://s/a://1' },
      { type: 'resource', resource: { uri: 'pegboard://s/a://2', text: 'two' } },
      { type: 'resource', resource: 5 },
    ],
  });
  expect(changed.content[0]).toBe(text);
  expect(result.content[1]).toBe(link);
  expect(withBoardAddresses({ messages: [{ role: 'user', content: link }] }, toBoard)).toEqual({
    messages: [{ role: 'user', content: { ...link, uri: 'pegboard://s/a://1' } }],
  });
  expect(withBoardAddresses({ contents: [{ uri: 'a://3', text: '' }, { text: '' }] }, toBoard)).toEqual({
    contents: [{ uri: 'pegboard://s/a://3', text: '' }, { text: '' }],
  });
});
