import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../../cli-context.ts';

/** Lets the person edit data in their editor, in a file that only they can read. Returns the edited text. */
export async function editJson(data: unknown, { env, cwd }: CliContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-edit-'));
  try {
    const file = join(folder, 'arguments.json');
    writeFileSync(file, `${JSON.stringify(data, undefined, 2)}\n`, { mode: 0o600 });
    // The variable may contain options: `code --wait`.
    const [program = 'vi', ...args] = (env['VISUAL'] || env['EDITOR'] || 'vi').split(/\s+/);
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(program, [...args, file], { stdio: 'inherit', cwd });
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (code === 0) return readFileSync(file, 'utf8');
    const message = `The editor "${program}" ended with ${code ?? 'a signal'}, so nothing was answered. Set EDITOR, or use --args.`;
    throw new ToolError({ code: 'execution_failed', message });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
