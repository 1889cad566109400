import { z } from 'zod';
import { PATH_FORMS } from '../../tool/parameters/find-values.ts';
import { duration, environment, risk, size } from '../common-schema.ts';

/** The extension of a file's name. */
export const fileExtension = z
  .string()
  .regex(/^\.[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/)
  .describe('The extension of the file, such as .sql. Default: none');

/** The encoding of contents in a value. */
export const fileEncoding = z
  .enum(['text', 'base64'])
  .describe('The encoding of the contents, for type: file and stdin. Default: text');

/** The form of a value that can also be something other than a path. */
const pathForm = z.enum(PATH_FORMS);

/** The keys of an argument that do not refer to other arguments. */
const ownArgument = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  type: z
    .enum(['string', 'integer', 'number', 'boolean', 'array', 'object', 'file'])
    .describe(
      'array takes several values, object several key=value pairs, file a text that is written to a file. Default: string',
    )
    .optional(),
  items: z
    .enum(['string', 'integer', 'number', 'file'])
    .describe('The type of the items of a list. Default: string')
    .optional(),
  join: z
    .string()
    .min(1)
    .max(3)
    .describe('Joins several values into one with this separator: a,b. Default: each is its own element')
    .optional(),
  spread: z
    .boolean()
    .describe('Writes the flag once before several values. Default: the flag is repeated for each value')
    .optional(),
  pair: z
    .union([z.literal('separate'), z.string().min(1).max(3)])
    .describe(
      'The separator of key and value of an object. separate makes them two elements: --arg key value. Default: =',
    )
    .optional(),
  split: z
    .enum(['space', 'comma', 'lines'])
    .describe('Splits a text at this separator; each part is a value')
    .optional(),
  required: z.boolean().optional(),
  default: z
    .union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.union([z.string(), z.number()]))])
    .optional(),
  enum: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .optional(),
  pattern: z.string().describe('A regular expression for the whole value; runs in linear time').optional(),
  min: z.number().describe('The lowest number').optional(),
  max: z.number().describe('The highest number').optional(),
  flag: z.string().min(1).describe('The flag before the value. Default: --name-with-hyphens').optional(),
  negated: z
    .string()
    .min(1)
    .describe('The flag for false of a boolean, such as --no-color. Default: no flag')
    .optional(),
  global: z
    .boolean()
    .describe('Puts the flag between the program and its subcommand. Default: after the command')
    .optional(),
  style: z
    .enum(['joined', 'separate'])
    .describe('--flag=value in one element, or the flag and the value in two. Default: joined for long flags')
    .optional(),
  positional: z.boolean().describe('A value without a flag, before the flags').optional(),
  tail: z
    .union([z.boolean(), z.literal('--')])
    .describe('The values come last, as another command line: the first must not start with -. -- puts -- before them')
    .optional(),
  cwd: z.boolean().describe('The value is the working directory').optional(),
  stdin: z.boolean().describe('The value is the standard input of the command').optional(),
  extension: fileExtension.optional(),
  encoding: fileEncoding.optional(),
  path: z
    .union([
      z.boolean(),
      pathForm,
      z.strictObject({
        form: pathForm,
        schemes: z
          .array(z.string().regex(/^[a-z][a-z0-9+.-]*$/))
          .describe('The schemes that the command accepts, such as [s3]. Default: http, https for url and address')
          .optional(),
      }),
    ])
    .describe('The value is a path, or a path in one of these forms: the allowed roots of the policy apply')
    .optional(),
  writes: z
    .boolean()
    .describe('A writing call may write there, except to files of the board. Default: true for path, false for cwd')
    .optional(),
  risk: z
    .union([risk, z.record(z.string().min(1), risk)])
    .describe(
      'The risk of a call with this argument, if higher than that of the tool; by value: { GET: read, "*": write }',
    )
    .optional(),
});

/** One of several flags in the order of a list. */
const sequenceFlag = ownArgument
  .pick({
    name: true,
    description: true,
    enum: true,
    pattern: true,
    min: true,
    max: true,
    flag: true,
    style: true,
    path: true,
    risk: true,
  })
  .extend({ type: z.enum(['string', 'integer', 'number', 'boolean']).optional() });

export const cliArgument = ownArgument.extend({
  sequence: z
    .array(sequenceFlag)
    .min(1)
    .describe(
      'Flags whose order matters, for type: array: each element of a call is one of them, such as { exclude: "*" }, in that order',
    )
    .optional(),
});

/** Keys for running a command line, shared by several kinds. */
export const cliRunning = {
  env: environment.optional(),
  env_pass: z
    .array(z.string())
    .describe(
      'Variables of the board that are passed to the command in addition to PATH, HOME, LANG and those for certificates',
    )
    .optional(),
  working_dir: z.string().optional(),
  sandbox: z
    .union([
      z.literal('bwrap'),
      z.strictObject({
        type: z.literal('bwrap'),
        network: z.boolean().optional(),
        read: z.array(z.string()).optional(),
        write: z.array(z.string()).optional(),
      }),
    ])
    .describe('Run the command in its own namespaces')
    .optional(),
  limits: z
    .strictObject({
      cpu: duration.describe('CPU time of each process, in whole seconds').optional(),
      memory: size.describe('Memory of each process, and of all together').optional(),
      processes: z.int().min(1).describe('Processes at once, including the command itself').optional(),
      file_size: size.describe('Size of each file that is written').optional(),
    })
    .describe('Resource limits of the command; needs prlimit (util-linux)')
    .optional(),
  output: z
    .union([
      z.enum(['text', 'json', 'jsonl', 'lines', 'table']),
      z.strictObject({
        type: z.enum(['json', 'jsonl', 'lines', 'table']),
        separator: z
          .string()
          .min(1)
          .max(10)
          .describe('The separator of the cells of a table. Default: columns are aligned with spaces')
          .optional(),
        columns: z
          .array(z.string().min(1))
          .min(1)
          .max(200)
          .describe('The names of the columns. Default: those in the first row')
          .optional(),
        max_rows: z.int().min(1).max(100_000).describe('Lines or rows that become data. Default: 1000').optional(),
        schema: z
          .looseObject({ type: z.string().optional() })
          .describe('JSON Schema of the data, for type: json')
          .optional(),
      }),
    ])
    .describe('The conversion of the output to data. Default: text')
    .optional(),
  progress: z
    .enum(['lines', 'percent'])
    .describe('Reports each printed line to callers, or the progress by a percentage in it')
    .optional(),
  exit_codes: z
    .record(
      z.string().regex(/^\d+$/),
      z.union([
        z.string(),
        z.strictObject({
          error: z.string().min(1).describe('What went wrong'),
          retry: z.boolean().describe('The same call may succeed later: it is retried').optional(),
        }),
      ]),
    )
    .describe('The meanings of exit codes. A text means success, error: a failure')
    .optional(),
};

const groups = z.array(z.array(z.string().min(1)).min(2));

/** The keys of `type: cli`: a command line with typed arguments. */
export const cliKeys = z.strictObject({
  ...cliRunning,
  command: z
    .union([z.string().min(1), z.array(z.string()).min(1)])
    .describe('The command and its fixed arguments: a text that is split at spaces, or a list'),
  args: z.array(cliArgument).optional(),
  separator: z
    .enum(['--', '--end-of-options', './'])
    .describe('The separator before positional values, so that they may start with -')
    .optional(),
  flags: z
    .enum(['first', 'last'])
    .describe('The position of flags relative to positional values. Default: last')
    .optional(),
  exclusive: groups.describe('Arguments of which a call may give only one').optional(),
  together: groups.describe('Arguments that a call gives together or not at all').optional(),
  one_of: groups.describe('Arguments of which a call must give at least one').optional(),
  confirm_message: z.string().describe('The question for the person who approves a call').optional(),
});
