// Bundles the declarations of our code: one .d.ts for each entry point, and one for what several of them share.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const root = join(import.meta.dirname, '..');

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  readonly peerDependenciesMeta: Readonly<Record<string, unknown>>;
}

/** Writes the types of every entry that package.json names into a folder. */
export async function bundleTypes(folder: string): Promise<void> {
  const { exports, peerDependenciesMeta }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : basename(entry.types)));
  const emitted = mkdtempSync(join(tmpdir(), 'pegboard-types-'));
  try {
    execFileSync('tsc', ['-p', join(root, 'tsconfig.build.json'), '--outDir', emitted], { stdio: 'inherit' });
    const bundle = await rolldown({
      cwd: emitted,
      input: entries.map((entry) => join(emitted, entry)),
      external: (id) => !/^[./]/.test(id),
      plugins: [
        {
          name: 'declarations',
          // The compiler leaves the names of sources in declarations.
          resolveId: (id, importer) =>
            importer !== undefined && /^\.{1,2}\/.*(?<!\.d)\.ts$/.test(id)
              ? join(importer, '..', id.replace(/\.ts$/, '.d.ts'))
              : undefined,
        },
        // The declarations are there already, so no generator runs; `oxc` is the one that asks for no tsconfig.json.
        dts({ dtsInput: true, generator: 'oxc', tsconfig: false }),
        {
          name: 'optional-peers',
          // The bundler drops comments of imports. Without this one, an optional package that is not installed is an error.
          generateBundle(_options, chunks) {
            for (const chunk of Object.values(chunks))
              if (chunk.type === 'chunk') chunk.code = ignoreMissing(chunk.code, Object.keys(peerDependenciesMeta));
          },
        },
      ],
    });
    // A class has to be the same in all entries: two declarations of one with private members do not fit each other.
    const shared = { name: 'shared.d', minShareCount: 2 };
    await bundle.write({
      dir: folder,
      chunkFileNames: '[name].ts',
      minifyInternalExports: false,
      codeSplitting: { groups: [shared] },
    });
    await bundle.close();
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

function ignoreMissing(code: string, packages: readonly string[]): string {
  return code.replaceAll(/^import .* from "([^".][^"]*)";$/gm, (statement, from: string) =>
    packages.some((name) => from === name || from.startsWith(`${name}/`))
      ? `/** @ts-ignore optional peer */\n${statement}`
      : statement,
  );
}
