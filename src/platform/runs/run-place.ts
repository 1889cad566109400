import type { CallPlace } from './run-entry.ts';

/** The place of a call in the id of the run that it begins. */
export function toPlace({ step, index }: CallPlace): string {
  return `${step}.${index + 1}`;
}
