import type { Ask } from '../../tool/calls/ask.ts';
import type { Completion, OfferedItem, OfferRequest, OfferResult } from '../../tool/offers.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ERROR_CODES } from '../../mcp/protocol/json-rpc.ts';
import type { SectionValue } from '../../load/features/built-in-section.ts';
import { fillText } from './fill-text.ts';
import { typeOfFile } from '../../platform/file-type.ts';
import { offerPath, readBytes, readText } from './offer-file.ts';

/** A prompt as written in a file. */
export type WrittenPrompt = SectionValue<'prompts'>[number];
type WrittenMessage = NonNullable<WrittenPrompt['messages']>[number];

/** A prompt of the board itself. */
export interface OwnPrompt {
  readonly written: WrittenPrompt;
  /** The base folder of its files. */
  readonly folder: string;
  readonly source: string;
}

/** Reads a resource of the board, for prompts that contain one. */
export type ReadResource = (uri: string, request: OfferRequest) => Promise<OfferResult | undefined>;

/** Returns the MCP listing of a prompt. */
export function listPrompt({ written, source }: OwnPrompt): OfferedItem {
  const { name, title, description, icon, arguments: args = [] } = written;
  const shown = args.map((argument) => ({
    name: argument.name,
    ...(argument.title === undefined ? {} : { title: argument.title }),
    ...(argument.description === undefined ? {} : { description: argument.description }),
    ...(argument.required === undefined ? {} : { required: argument.required }),
  }));
  const listing = {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(icon === undefined ? {} : { icons: [{ src: icon }] }),
    ...(shown.length === 0 ? {} : { arguments: shown }),
  };
  return { id: name, source, listing };
}

/** Returns a prompt's text with its arguments filled in. */
export async function fillPrompt(
  prompt: OwnPrompt,
  given: Readonly<Record<string, string>>,
  { request, read, ask }: { readonly request: OfferRequest; readonly read: ReadResource; readonly ask: Ask },
): Promise<OfferResult> {
  const { written, folder } = prompt;
  const args = await completeArguments(prompt, given, { context: request.context, askPerson: ask });
  const {
    text,
    file,
    messages = [{ ...(text === undefined ? {} : { text }), ...(file === undefined ? {} : { file }) }],
  } = written;
  const fill = (template: string): string => fillText(template, args);
  const made = [];
  for (const message of messages) {
    const content = await toContent(message, { fill, folder, read: (uri) => read(uri, request) });
    made.push({ role: message.role ?? 'user', content });
  }
  return { ...(written.description === undefined ? {} : { description: written.description }), messages: made };
}

/** Returns the completions of a prompt's argument. */
export function completePrompt({ written }: OwnPrompt, argument: { name: string; value: string }): Completion {
  const { values = [] } = written.arguments?.find(({ name }) => name === argument.name) ?? {};
  const start = argument.value.toLowerCase();
  return { values: values.filter((value) => value.toLowerCase().startsWith(start)) };
}

interface ContentParts {
  readonly fill: (template: string) => string;
  readonly folder: string;
  readonly read: (uri: string) => Promise<OfferResult | undefined>;
}

async function toContent(message: WrittenMessage, { fill, folder, read }: ContentParts): Promise<unknown> {
  const { text, file, image, audio, resource } = message;
  const media = image ?? audio;
  if (media !== undefined) {
    const path = offerPath(media, folder);
    const data = readBytes(path).toString('base64');
    return { type: image === undefined ? 'audio' : 'image', data, mimeType: typeOfFile(path) };
  }
  if (typeof resource === 'object') {
    const { uri, text: content, mimeType = 'text/plain' } = resource;
    return { type: 'resource', resource: { uri: fill(uri), mimeType, text: fill(content) } };
  }
  if (resource !== undefined) {
    const uri = fill(resource);
    const { contents } = (await read(uri)) ?? {};
    const [first]: unknown[] = Array.isArray(contents) ? contents : [];
    if (first === undefined) throw refuse(`There is no resource "${uri}" for this prompt.`);
    return { type: 'resource', resource: first };
  }
  return { type: 'text', text: fill(text ?? (file === undefined ? '' : readText(offerPath(file, folder)))) };
}

/** Returns the arguments, with the values that a person provides for missing ones. */
async function completeArguments(
  { written, source }: OwnPrompt,
  given: Readonly<Record<string, string>>,
  { context, askPerson }: Pick<OfferRequest, 'context'> & { readonly askPerson: Ask },
): Promise<Readonly<Record<string, string>>> {
  const args: Record<string, string> = {};
  for (const { name, required = false, ask } of written.arguments ?? []) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined) args[name] = value;
    else if (ask !== undefined && askPerson.reach(context).person !== undefined) {
      const requestedSchema = { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] };
      const request = { mode: 'form', message: ask, requestedSchema } as const;
      const origin = { tool: written.name, source, signal: context.signal };
      const answer = await askPerson({ kind: 'question', request, origin }, context);
      if (answer.action !== 'accept') throw refuse(`The prompt "${written.name}" was not filled in.`);
      const said = answer.content?.[name];
      args[name] = typeof said === 'string' ? said : JSON.stringify(said ?? '');
    } else if (required) throw refuse(`The prompt "${written.name}" needs the argument "${name}".`);
  }
  return args;
}

function refuse(message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message, protocol: { code: ERROR_CODES.invalidParams, message } });
}
