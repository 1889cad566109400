import { isObject } from '../transports/wire-message.ts';

/** A result, a message or a list of these in which the addresses of resources are those of the board. */
export function withBoardAddresses<T>(value: T, toBoard: (uri: string) => string): T;
export function withBoardAddresses(value: unknown, toBoard: (uri: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withBoardAddresses(item, toBoard));
  if (!isObject(value)) return value;
  const { type, uri, resource, content, messages, contents } = value;
  const below = { content, messages };
  const changed = Object.entries(below).filter(([, item]) => item !== undefined);
  return {
    ...value,
    ...Object.fromEntries(changed.map(([key, item]) => [key, withBoardAddresses(item, toBoard)])),
    ...(type === 'resource_link' && typeof uri === 'string' ? { uri: toBoard(uri) } : {}),
    ...(type === 'resource' && isObject(resource) ? { resource: withUri(resource, toBoard) } : {}),
    ...(Array.isArray(contents) ? { contents: contents.map((item: unknown) => withUri(item, toBoard)) } : {}),
  };
}

function withUri(value: unknown, toBoard: (uri: string) => string): unknown {
  if (!isObject(value) || typeof value['uri'] !== 'string') return value;
  return { ...value, uri: toBoard(value['uri']) };
}
