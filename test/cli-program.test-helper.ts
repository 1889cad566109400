import { dirname, join } from 'node:path';

const bundled = process.env['PEGBOARD_TEST_CLI'];

/** The program `pegboard`: bundled where a test run did so, from the sources elsewhere. */
export const CLI = bundled ?? join(import.meta.dirname, '../src/cli/main.ts');

/** The variable of a process that gets no others, so that `pegboard serve` leaves no board of the machine behind. */
export const ALONE = { PEGBOARD_STANDALONE: '1' };

/** A program of `fixtures/mcp`, by its name without `.ts`. */
export function fixtureFile(name: string): string {
  return bundled === undefined
    ? join(import.meta.dirname, `fixtures/mcp/${name}.ts`)
    : join(dirname(dirname(bundled)), `servers/${name}.js`);
}

/** The file of an entry point, for programs and boards of code that run beside that command line. */
export function entryFile(name: string): string {
  return bundled === undefined ? join(import.meta.dirname, `../src/${name}.ts`) : join(dirname(bundled), `${name}.js`);
}
