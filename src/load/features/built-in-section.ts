import type { z } from 'zod';
import type { JsonSchema } from '../../tool/json.ts';
import type { boardFile } from '../schema/board-schema.ts';
import { BOARD_SECTIONS } from '../schema.generated.ts';
import type { Merge, Section } from './section.ts';

type BoardFile = z.input<typeof boardFile>;

/** The checked value of a built-in section. */
export type SectionValue<K extends keyof BoardFile> = NonNullable<BoardFile[K]>;

/** Declares a built-in section, whose schema is generated from zod at build time. */
export function builtInSection<const K extends keyof BoardFile, const M extends Merge>(
  key: K,
  merge: M,
): Section<SectionValue<K>, M> {
  return {
    get schema(): JsonSchema {
      return BOARD_SECTIONS[key];
    },
    merge,
  };
}
