// Builds dist/: bundled JavaScript, the inspector's page, and one .d.ts for each entry point.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildPage } from './build-page.ts';
import { bundleTypes } from './bundle-types.ts';
import { bundleCode } from './bundle.ts';

rmSync('dist', { recursive: true, force: true });
await bundleCode(resolve('dist'));
await buildPage(resolve('dist/inspector/page'));
await bundleTypes(resolve('dist'));
