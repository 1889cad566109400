// Runs before `npm test`: names the parts that tests use and this machine does not have, and installs them where it may.
// A process of its own, so that the tests look at the machine anew.
import { existsSync } from 'node:fs';
import { findInstallProblem, installPackages, LOG, runScript } from './test-set-up/install-parts.ts';
import { findMissingParts, type Part, PARTS, PGVECTOR_ROOT, type PartName } from './test-set-up/parts.ts';

const say = (line: string): void => console.log(line);
const isPrepared = (name: PartName): boolean => name === 'pgvector' && existsSync(PGVECTOR_ROOT);
const missing = (await findMissingParts()).filter((name) => !isPrepared(name));
if (missing.length > 0) {
  say('Some tests use programs and data that this machine does not have:');
  const width = Math.max(...missing.map((name) => name.length));
  for (const name of missing) say(`  ${name.padEnd(width)}  ${PARTS[name].why}`);
  prepare();
}

function prepare(): void {
  if (process.env['PEGBOARD_TEST_INSTALL'] === '0') {
    say('PEGBOARD_TEST_INSTALL=0: nothing is installed, and tests that need them are left out.\n');
    return;
  }
  const problem = findInstallProblem();
  const withPackages = missing.filter((name) => PARTS[name].packages.length > 0);
  const scripts = missing.filter((name) => {
    const { script }: Part = PARTS[name];
    return script !== undefined && (problem === undefined || !script.asRoot);
  });
  if (problem !== undefined) say(`Programs are not installed, and their tests are left out: ${problem}.`);
  else if (withPackages.length > 0) say('They are installed now, with apt-get. What is there already stays.');
  if (scripts.length > 0) say(`Into .cache of this folder: ${scripts.join(', ')}.`);
  say(`This takes some minutes once; ${LOG} has the details. To prevent it: PEGBOARD_TEST_INSTALL=0 npm test\n`);
  if (problem === undefined && withPackages.length > 0) installPackages(withPackages, say);
  for (const name of scripts) runScript(name, say);
}
