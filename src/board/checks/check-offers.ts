import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { namesIn } from '../offers/fill-text.ts';
import type { WrittenPrompt } from '../offers/own-prompts.ts';
import type { WrittenResource } from '../offers/own-resources.ts';

type Path = readonly (string | number)[];

/** Finds what is wrong with the prompts and resources of the files besides their shape. */
export function checkOffers(files: readonly LoadedFile[], cwd: string): Diagnostic[] {
  return files.flatMap((file) => {
    const folder = dirname(resolve(cwd, file.file));
    const told: Diagnostic[] = [];
    const tell = (severity: Diagnostic['severity'], path: Path, message: string): void => {
      told.push({ severity, file: file.file, path, message, place: file.locate(path) });
    };
    const checkFile = (path: Path, name: string | undefined): void => {
      if (name !== undefined && !existsSync(resolve(folder, name)))
        tell('warning', path, `there is no file "${name}".`);
    };
    // Both sections were checked against their schemas.
    for (const [index, prompt] of (file.prompts as readonly WrittenPrompt[]).entries()) {
      checkPrompt(prompt, { path: ['prompts', index], tell, checkFile });
    }
    for (const [index, resource] of (file.resources as readonly WrittenResource[]).entries()) {
      checkResource(resource, { path: ['resources', index], tell, checkFile });
    }
    return told;
  });
}

interface Teller {
  readonly path: Path;
  readonly tell: (severity: Diagnostic['severity'], path: Path, message: string) => void;
  readonly checkFile: (path: Path, name: string | undefined) => void;
}

function checkPrompt(prompt: WrittenPrompt, { path, tell, checkFile }: Teller): void {
  const { text, file, messages = [], arguments: args = [] } = prompt;
  const given = [text, file, prompt.messages].filter((part) => part !== undefined);
  if (given.length !== 1) tell('error', path, `the prompt "${prompt.name}" needs one of text, file and messages.`);
  checkFile([...path, 'file'], file);
  const known = new Set(args.map(({ name }) => name));
  const texts: [Path, string | undefined][] = [[[...path, 'text'], text]];
  for (const [index, message] of messages.entries()) {
    const at = [...path, 'messages', index];
    const { role: _, ...content } = message;
    if (Object.keys(content).length !== 1)
      tell('error', at, 'a message has one of text, file, image, audio and resource.');
    for (const key of ['file', 'image', 'audio'] as const) checkFile([...at, key], message[key]);
    texts.push([[...at, 'text'], message.text]);
    if (typeof message.resource === 'string') texts.push([[...at, 'resource'], message.resource]);
  }
  for (const [at, template = ''] of texts) {
    const stray = namesIn(template).find((name) => !known.has(name));
    if (stray !== undefined)
      tell(
        'error',
        at,
        `has {{${stray}}}, which is no argument of the prompt. It has: ${[...known].join(', ') || 'none'}.`,
      );
  }
}

const CONTENTS = ['text', 'file', 'files', 'tool'] as const;

function checkResource(resource: WrittenResource, { path, tell, checkFile }: Teller): void {
  const { uri, template, file, files, args } = resource;
  if ((uri === undefined) === (template === undefined))
    return tell('error', path, 'a resource has a uri, or a template of addresses.');
  const address = uri ?? template ?? '';
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(address) || /^pegboard:/i.test(address))
    tell(
      'error',
      path,
      `"${address}" is no address: write a scheme of your own, such as docs://guide. pegboard: is the board's.`,
    );
  if (CONTENTS.filter((key) => resource[key] !== undefined).length !== 1)
    tell('error', path, `the resource "${address}" needs one of ${CONTENTS.join(', ')}.`);
  if (args !== undefined && resource.tool === undefined) tell('error', [...path, 'args'], 'goes with tool.');
  if (files !== undefined && uri?.includes('{path}') !== true)
    tell('error', path, 'files need a uri with {path} in it, such as docs://{path}.');
  if (template !== undefined && (file !== undefined || files !== undefined))
    tell('error', path, 'a template goes with text or tool.');
  checkFile([...path, 'file'], file);
}
