import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Node, processor and the version of each peer, as a Markdown list. */
export function describeMachine(root: string): string {
  const { dependencies } = readPackage(`${root}/bench/package.json`);
  const peers = Object.keys(dependencies ?? {}).map((name) => {
    const { version } = readPackage(`${root}/bench/node_modules/${name}/package.json`);
    return `${name} ${version}`;
  });
  const { version } = readPackage(`${root}/package.json`);
  const processors = cpus();
  return [
    `- Node ${process.version}, ${process.platform} ${process.arch}`,
    `- ${processors.length} × ${processors[0]?.model.trim()}`,
    `- pegboard ${version}`,
    `- ${peers.join(', ')}`,
  ].join('\n');
}

interface PackageFile {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readPackage(path: string): PackageFile {
  // npm wrote or read these files before us.
  return JSON.parse(readFileSync(path, 'utf8')) as PackageFile;
}
