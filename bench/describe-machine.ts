import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** The machine that the benchmarks ran on, and the peers. */
export interface Machine {
  readonly node: string;
  readonly system: string;
  readonly processors: string;
  readonly peers: Readonly<Record<string, string>>;
}

/** Reads Node's version, the processors and the version of each installed peer. */
export function describeMachine(root: string): Machine {
  const { dependencies = {} } = readPackage(`${root}/bench/package.json`);
  const peers = Object.keys(dependencies).map((name) => {
    const { version = 'unknown' } = readPackage(`${root}/bench/node_modules/${name}/package.json`);
    return [name, version] as const;
  });
  const processors = cpus();
  return {
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    processors: `${processors.length} × ${processors[0]?.model.trim()}`,
    peers: Object.fromEntries(peers),
  };
}

interface PackageFile {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readPackage(path: string): PackageFile {
  // npm wrote or read these files before us.
  return JSON.parse(readFileSync(path, 'utf8')) as PackageFile;
}
