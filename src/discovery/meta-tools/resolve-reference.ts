import { isPlainObject, type JsonSchema } from '../../core/json.ts';

/** What a local reference (`#/$defs/Node`, `#node`) points at; `undefined` when it leads nowhere or out of the schema. */
export function resolveReference(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return findAnchor(reference, root);
  let place: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decode(step);
    if (Array.isArray(place)) place = place[Number(key)];
    else if (isPlainObject(place) && Object.hasOwn(place, key)) place = place[key];
    else return undefined;
  }
  return place;
}

function findAnchor(reference: string, root: JsonSchema): unknown {
  const definitions = { ...toObject(root['$defs']), ...toObject(root['definitions']) };
  return Object.values(definitions).find(
    (definition) =>
      isPlainObject(definition) &&
      (`#${String(definition['$anchor'])}` === reference || definition['$id'] === reference),
  );
}

function toObject(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {};
}

function decode(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
