import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
/** Bytes of a script to read. */
const MOST = 65_536;
/** `read -rp "Go on? " answer`; prompts with variables are unknown. */
const READ_PROMPT = /\bread\s+(?:-[a-zA-Z]+\s+(?:\d+\s+)?)*-[a-zA-Z]*p\s*(?:"([^"\n]{1,200})"|'([^'\n]{1,200})')/;

/** Finds the prompt of `read -p` in a shell script, which shells print only on terminals; `undefined` for other programs. */
export async function findScriptPrompt(
  [file = '', first = '', second = '']: readonly string[],
  cwd: string | undefined,
): Promise<string | undefined> {
  const isShell = SHELLS.has(basename(file));
  if (isShell && /^-\w*c$/.test(first)) return promptOf(second);
  const script = isShell ? first : file;
  if (script === '' || script.startsWith('-') || (!isShell && !script.includes('/'))) return undefined;
  try {
    const text = await readStart(resolve(cwd ?? '.', script));
    return isShell || /^#![^\n]*\b(?:ba|da|z|k)?sh\b/.test(text) ? promptOf(text) : undefined;
  } catch {
    // An unreadable file has no prompt to report.
    return undefined;
  }
}

function promptOf(script: string): string | undefined {
  const [, double, single] = READ_PROMPT.exec(script) ?? [];
  return (double ?? single)?.trim();
}

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    // A pipe or a device could block.
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST), 0, MOST, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
