import { isObject, type JsonObject } from '../transports/transport.ts';

type ToBoard = (uri: string) => string;

/**
 * Replaces the addresses of resources in a result, a message or a list of these by the board's. Returns the value itself if nothing
 * changes, as for most results.
 */
export function withBoardAddresses<T>(value: T, toBoard: ToBoard): T;
export function withBoardAddresses(value: unknown, toBoard: ToBoard): unknown {
  if (Array.isArray(value)) return mapChanged(value, (item) => withBoardAddresses(item, toBoard));
  if (!isObject(value)) return value;
  const { content, messages, contents } = value;
  const changed = typeof value['type'] === 'string' ? addressed(value, toBoard) : value;
  const inContent =
    typeof content === 'object' ? replaced(changed, 'content', withBoardAddresses(content, toBoard)) : changed;
  const inMessages =
    typeof messages === 'object' ? replaced(inContent, 'messages', withBoardAddresses(messages, toBoard)) : inContent;
  if (!Array.isArray(contents)) return inMessages;
  return replaced(
    inMessages,
    'contents',
    mapChanged(contents, (item) => withUri(item, toBoard)),
  );
}

/** Replaces the address of a piece of content, or of the resource in it. */
function addressed(value: JsonObject, toBoard: ToBoard): JsonObject {
  if (value['type'] === 'resource_link') return withUri(value, toBoard);
  return value['type'] === 'resource' ? replaced(value, 'resource', withUri(value['resource'], toBoard)) : value;
}

function withUri<T>(value: T, toBoard: ToBoard): T;
function withUri(value: unknown, toBoard: ToBoard): unknown {
  if (!isObject(value) || typeof value['uri'] !== 'string') return value;
  return replaced(value, 'uri', toBoard(value['uri']));
}

function replaced(value: JsonObject, key: string, item: unknown): JsonObject {
  return value[key] === item ? value : { ...value, [key]: item };
}

/** Returns the list itself if no item changes. */
function mapChanged(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = change(list[index]);
    if (item !== list[index]) (changed ??= [...list])[index] = item;
  }
  return changed ?? list;
}
