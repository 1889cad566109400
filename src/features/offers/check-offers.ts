import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { Placed } from '../../load/features/section.ts';
import { namesIn } from './fill-text.ts';
import type { WrittenPrompt } from './own-prompts.ts';
import type { WrittenResource } from './own-resources.ts';

type Path = readonly (string | number)[];

/** Finds faults in prompts and resources that their schemas do not detect. */
export function checkOffers(
  prompts: readonly Placed<readonly WrittenPrompt[]>[],
  resources: readonly Placed<readonly WrittenResource[]>[],
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const reporterOf = (placed: Placed<unknown>, index: number): Reporter => {
    const report: Reporter['report'] = (severity, path, message) => void found.push(placed.at(path, message, severity));
    return {
      path: [index],
      report,
      checkFile(path, name) {
        if (name !== undefined && !existsSync(resolve(placed.folder(), name)))
          report('warning', path, `there is no file "${name}".`);
      },
    };
  };
  for (const placed of prompts)
    for (const [index, prompt] of placed.value.entries()) checkPrompt(prompt, reporterOf(placed, index));
  for (const placed of resources)
    for (const [index, resource] of placed.value.entries()) checkResource(resource, reporterOf(placed, index));
  return found;
}

interface Reporter {
  readonly path: Path;
  readonly report: (severity: Diagnostic['severity'], path: Path, message: string) => void;
  readonly checkFile: (path: Path, name: string | undefined) => void;
}

function checkPrompt(prompt: WrittenPrompt, { path, report, checkFile }: Reporter): void {
  const { text, file, messages = [], arguments: args = [] } = prompt;
  const given = [text, file, prompt.messages].filter((part) => part !== undefined);
  if (given.length !== 1) report('error', path, `the prompt "${prompt.name}" needs one of text, file and messages.`);
  checkFile([...path, 'file'], file);
  const known = new Set(args.map(({ name }) => name));
  const texts: [Path, string | undefined][] = [[[...path, 'text'], text]];
  for (const [index, message] of messages.entries()) {
    const at = [...path, 'messages', index];
    const { role: _, ...content } = message;
    if (Object.keys(content).length !== 1)
      report('error', at, 'a message has one of text, file, image, audio and resource.');
    for (const key of ['file', 'image', 'audio'] as const) checkFile([...at, key], message[key]);
    texts.push([[...at, 'text'], message.text]);
    if (typeof message.resource === 'string') texts.push([[...at, 'resource'], message.resource]);
  }
  for (const [at, template = ''] of texts) {
    const stray = namesIn(template).find((name) => !known.has(name));
    if (stray !== undefined)
      report(
        'error',
        at,
        `has {{${stray}}}, which is not an argument of the prompt. It has: ${[...known].join(', ') || 'none'}.`,
      );
  }
}

const CONTENTS = ['text', 'file', 'files', 'tool'] as const;

function checkResource(resource: WrittenResource, { path, report, checkFile }: Reporter): void {
  const { uri, template, file, files, args } = resource;
  if ((uri === undefined) === (template === undefined))
    return report('error', path, 'a resource has a uri, or a template of addresses.');
  const address = uri ?? template ?? '';
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(address) || /^pegboard:/i.test(address))
    report(
      'error',
      path,
      `"${address}" is not an address: write a scheme of your own, such as docs://guide. pegboard: is the board's.`,
    );
  if (CONTENTS.filter((key) => resource[key] !== undefined).length !== 1)
    report('error', path, `the resource "${address}" needs one of ${CONTENTS.join(', ')}.`);
  if (args !== undefined && resource.tool === undefined) report('error', [...path, 'args'], 'goes with tool.');
  if (files !== undefined && uri?.includes('{path}') !== true)
    report('error', path, 'files need a uri with {path} in it, such as docs://{path}.');
  if (template !== undefined && (file !== undefined || files !== undefined))
    report('error', path, 'a template goes with text or tool.');
  checkFile([...path, 'file'], file);
}
