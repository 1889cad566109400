import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agent/define/define-agent.ts';
import { runAgent } from '../agent/loop/run-agent.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { defineExporter, openAI } from '../export.ts';
import { checkTool } from './check-tool.ts';
import { fakeTool, inTurn } from './fake-tool.ts';
import { scriptedModel } from './scripted-model.ts';
import { assertCalled, toolMatchers, type ToolMatchers } from './tool-matchers.ts';

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends ToolMatchers<R> {}
}
expect.extend(toolMatchers);

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Send a mail to a person.',
  risk: 'write',
  schema: z.object({
    to: z.email().describe('Whom to'),
    urgent: z.boolean().default(false).describe('Whether at once'),
  }),
  execute: () => Promise.reject(new Error('a real mail must not be sent')),
});

describe('fakeTool', () => {
  it('replaces a real tool, validates like it and records its calls', async () => {
    const mail = fakeTool(sendMail, ({ to }: { to: string }) => `sent to ${to}`);
    const board = new ToolRegistry().register(mail);
    expect((await board.call('send_mail', { to: 'ada@example.com' })).text).toBe('sent to ada@example.com');
    expect((await board.call('send_mail', { to: 'nobody' })).error?.code).toBe('invalid_arguments');
    expect(mail.calls.map(({ input }) => input)).toEqual([{ to: 'ada@example.com', urgent: false }]);
    expect(mail.metadata.risk).toBe('write');
    mail.reset();
    expect(mail.calls).toEqual([]);
  });

  it('answers in turn, throws given errors, and fails when it is called too often', async () => {
    const board = new ToolRegistry().register(fakeTool({ name: 'flaky' }, inTurn('one', new Error('down'), { n: 3 })));
    const texts = [];
    for (let call = 0; call < 4; call++) texts.push((await board.call('flaky', { call })).text);
    expect(texts).toEqual([
      'one',
      'Tool "flaky" failed: down',
      '{"n":3}',
      String.raw`Tool "flaky" failed: The fake "flaky" has 3 answers and was called once more, with "{\"call\":3}".`,
    ]);
  });
});

describe('matchers', () => {
  it('check the calls of a run or a fake', async () => {
    const mail = fakeTool(sendMail, 'sent');
    const model = scriptedModel([{ calls: [{ name: 'send_mail', input: { to: 'ada@example.com' } }] }, 'done']);
    const result = await runAgent(defineAgent({ name: 'a', model }), 'go', {
      board: new ToolRegistry().register(mail),
    });
    expect(result).toHaveCalledTool('send_mail');
    expect(result).toHaveCalledTool('send_mail', { to: expect.stringContaining('@') });
    expect(result).not.toHaveCalledTool('send_fax');
    expect(result).toHaveCalledTools(['send_mail']);
    expect(mail).toHaveBeenCalledWithInput({ urgent: false });
    expect(() => expect(mail).toHaveBeenCalledWithInput({ urgent: true })).toThrow(
      'Expected a call send_mail {"urgent":true}. Calls were:\n- send_mail {"to":"ada@example.com","urgent":false}',
    );
    assertCalled(result, 'send_mail', { to: 'ada@example.com' });
    expect(() => assertCalled(result, 'send_fax')).toThrow('Expected a call send_fax. Calls were:');
  });
});

describe('checkTool', () => {
  it('finds nothing in a good tool', async () => {
    expect(await checkTool(sendMail)).toEqual([]);
  });

  it('finds problems for models and providers', async () => {
    const tool = defineTool({
      name: 'mail.send',
      description: 'Mail',
      schema: z.object({ to: z.email() }),
      examples: [{ description: 'Ada', input: { to: 'ada' } }],
      execute: () => '',
    });
    expect(await checkTool(tool)).toEqual([
      expect.stringContaining('The name "mail.send" is changed for most providers'),
      'The description has fewer than three words: models choose by it.',
      'The parameter "to" has no description.',
      expect.stringContaining('Example 1 ("Ada") does not fit the schema: to: '),
    ]);
  });

  it('names the providers that cannot represent a tool, including custom ones', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 21 }, (_, index) => [`key_${index}`, { type: 'string', description: 'A text.' }]),
    );
    const tool = defineTool({
      name: 'send_form',
      description: 'Sends a filled form.',
      schema: { type: 'object', properties },
      execute: () => 'sent',
    });
    const schema = { accepts: 'anything', limits: { properties: 20 } } as const;
    const acme = defineExporter({ ...openAI, format: 'acme', provider: 'Acme', schema });
    expect(await checkTool(tool)).toEqual([]);
    expect(await checkTool(tool, [acme])).toEqual([
      'It cannot be exported for Acme: 21 properties; Acme takes 20. Split the tool.',
    ]);
  });
});
