import { loadBuilt } from './load-built.ts';
import { makeInput, makeJsonSchema } from './many-schemas.ts';

const { defineTool } = await loadBuilt('index');

/** Counts of reads of a schema's properties, step by step. */
export interface SchemaReads {
  readonly registering: number;
  readonly firstCall: number;
  readonly laterCall: number;
}

/** Shows from outside when a schema is compiled: to compile it, code must read it. */
export function countSchemaReads(): SchemaReads {
  let reads = 0;
  const { properties, ...rest } = makeJsonSchema(0);
  const schema = {
    ...rest,
    get properties(): unknown {
      reads++;
      return properties;
    },
  };
  const readsOf = <T>(step: () => T): { made: T; count: number } => {
    const before = reads;
    return { made: step(), count: reads - before };
  };
  const { made: tool, count: registering } = readsOf(() =>
    defineTool({ name: 'watched', description: 'Finds pegs.', schema, execute: () => 'found' }),
  );
  const check = (): unknown => tool.validate(makeInput(0));
  return { registering, firstCall: readsOf(check).count, laterCall: readsOf(check).count };
}
