// Builds dist/: bundled JavaScript, the inspector's page, and one .d.ts per module.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildPage } from './build-page.ts';
import { bundleCode } from './bundle.ts';

rmSync('dist', { recursive: true, force: true });
await bundleCode(resolve('dist'));
await buildPage(resolve('dist/inspector/page'));
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
