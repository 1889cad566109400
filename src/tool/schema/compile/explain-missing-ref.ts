import { describeValue } from '../../texts/describe-value.ts';
import { isPlainObject } from '../../json.ts';
import { nearestNames } from '../../texts/suggest.ts';
import type { SchemaDialect } from '../schema-dialect.ts';
import { resolveUri, type SchemaResource } from '../schema-document.ts';

const META_SCHEMAS: Readonly<Record<SchemaDialect, RegExp>> = {
  '2020-12': /^https:\/\/json-schema\.org\/draft\/2020-12\/(schema|meta\/[a-z-]+)#?/,
  '2019-09': /^https:\/\/json-schema\.org\/draft\/2019-09\/(schema|meta\/[a-z-]+)#?/,
  'draft-07': /^http:\/\/json-schema\.org\/draft-07\/schema#?/,
};

/** Tells whether a reference names the meta-schema of its dialect, which is at hand without fetching. */
export function isMetaSchema(ref: string, dialect: SchemaDialect): boolean {
  return META_SCHEMAS[dialect].test(ref);
}

/** Says why a reference cannot be followed and what to write instead. */
export function explainMissingRef(ref: string, resource: SchemaResource): string {
  const [address = ''] = ref.split('#');
  if (address !== '' && resolveUri(address, resource.uri) !== resource.uri) {
    return (
      `must point into this schema; got ${describeValue(ref)}. Remote schemas are never fetched: ` +
      'copy the schema under "$defs" and use "#/$defs/<name>"'
    );
  }
  const known = ['$defs', 'definitions'].flatMap((place) => {
    const schemas = resource.root[place];
    return isPlainObject(schemas) ? Object.keys(schemas).map((name) => `#/${place}/${name}`) : [];
  });
  known.push(...[...resource.anchors.keys(), ...resource.dynamicAnchors.keys()].map((name) => `#${name}`));
  const [nearest] = nearestNames(ref, known, 1);
  return `points to nothing in this schema; got ${describeValue(ref)}${nearest === undefined ? '' : `. Did you mean ${describeValue(nearest)}?`}`;
}
