import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['aws s3 ls', 'aws_s3_ls', {}],
  [
    'aws s3 ls s3://bucket/a/ --recursive --human-readable',
    'aws_s3_ls',
    { S3Uri: 's3://bucket/a/', recursive: true, human_readable: true },
  ],
  ['aws s3 cp a.txt s3://bucket/a.txt', 'aws_s3_cp', { source: 'a.txt', destination: 's3://bucket/a.txt' }],
  [
    "aws s3 cp . s3://bucket/ --exclude '*.tmp' --recursive",
    'aws_s3_cp',
    { source: '.', destination: 's3://bucket/', filters: [{ exclude: '*.tmp' }], recursive: true },
  ],
  [
    "aws s3 cp . s3://bucket/ --exclude '*' --include '*.txt' --exclude old.txt --recursive",
    'aws_s3_cp',
    {
      source: '.',
      destination: 's3://bucket/',
      filters: [{ exclude: '*' }, { include: '*.txt' }, { exclude: 'old.txt' }],
      recursive: true,
    },
  ],
  [
    'aws s3 cp a s3://bucket/a --storage-class GLACIER',
    'aws_s3_cp',
    { source: 'a', destination: 's3://bucket/a', storage_class: 'GLACIER' },
  ],
  [
    'aws s3 sync . s3://bucket/ --dryrun --delete',
    'aws_s3_sync',
    { source: '.', destination: 's3://bucket/', dryrun: true, delete: true },
  ],
  [
    'aws s3 sync . s3://bucket/ --no-follow-symlinks',
    'aws_s3_sync',
    { source: '.', destination: 's3://bucket/', follow_symlinks: false },
  ],
  ['aws s3 rm s3://bucket/a --recursive', 'aws_s3_rm', { S3Uri: 's3://bucket/a', recursive: true }],
  ['aws s3 mb s3://bucket --region eu-west-1', 'aws_s3_mb', { S3Uri: 's3://bucket', region: 'eu-west-1' }],
  ['aws sts get-caller-identity', 'aws_sts_get-caller-identity', {}],
  [
    'aws sts get-caller-identity --output json --query Account --profile dev',
    'aws_sts_get-caller-identity',
    { profile: 'dev', query: 'Account', output: 'json' },
  ],
  ['aws ec2 describe-instances', 'aws_ec2_describe-instances', {}],
  ['aws ec2 describe-instances --instance-ids i-1 i-2', 'aws_ec2_describe-instances', { instance_ids: ['i-1', 'i-2'] }],
  [
    'aws ec2 describe-instances --filters Name=instance-state-name,Values=running Name=tag:env,Values=prod',
    'aws_ec2_describe-instances',
    { filters: ['Name=instance-state-name,Values=running', 'Name=tag:env,Values=prod'] },
  ],
  [
    'aws ec2 describe-instances --no-dry-run --max-items 5',
    'aws_ec2_describe-instances',
    { dry_run: false, max_items: 5 },
  ],
  [
    "aws ec2 run-instances --image-id ami-1 --instance-type t3.micro --security-group-ids sg-1 sg-2 --tag-specifications 'ResourceType=instance,Tags=[{Key=a,Value=b}]'",
    'aws_ec2_run-instances',
    {
      image_id: 'ami-1',
      instance_type: 't3.micro',
      security_group_ids: ['sg-1', 'sg-2'],
      tag_specifications: ['ResourceType=instance,Tags=[{Key=a,Value=b}]'],
    },
  ],
  ['aws ec2 terminate-instances --instance-ids i-1', 'aws_ec2_terminate-instances', { instance_ids: ['i-1'] }],
  [
    'aws s3api get-object --bucket b --key a/b.txt out.txt',
    'aws_s3api_get-object',
    { bucket: 'b', key: 'a/b.txt', outfile: 'out.txt' },
  ],
  [
    'aws s3api put-object --body a.txt --bucket b --key a.txt',
    'aws_s3api_put-object',
    { bucket: 'b', key: 'a.txt', body: 'a.txt' },
  ],
  [
    'aws lambda invoke --function-name f --invocation-type Event out.json',
    'aws_lambda_invoke',
    { function_name: 'f', invocation_type: 'Event', outfile: 'out.json' },
  ],
  [
    'aws logs describe-log-groups --log-group-name-prefix /aws',
    'aws_logs_describe-log-groups',
    { log_group_name_prefix: '/aws' },
  ],
  ['aws iam list-users --max-items 10', 'aws_iam_list-users', { max_items: 10 }],
];

const ONLY = [...new Set(LINES.map(([line]) => line.split(' ').slice(1, 3).join(' ')))];

describe('import of aws', needs('aws'), () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    imported = await importBoard(['aws'], { only: ONLY });
  }, 600_000);
  afterAll(() => imported.close());

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('asks for what an operation needs', async () => {
    await expect(imported.lineOf('aws_s3api_put-object', { key: 'a' })).rejects.toThrow('bucket: is required');
    await expect(imported.lineOf('aws_s3_cp', { source: 'a' })).rejects.toThrow('destination: is required');
  });

  it('takes addresses of S3 where a command takes no files, and none of files', async () => {
    const uri = imported.tools.find(({ name }) => name === 'aws_s3_ls')?.args?.find(({ name }) => name === 'S3Uri');
    expect(uri).toEqual({
      name: 'S3Uri',
      description: expect.stringMatching(/^Such as s3:/) as string,
      pattern: 's3://.*',
      positional: true,
    });
    // It would read the file, and tell what is in it.
    await expect(imported.lineOf('aws_s3_ls', { S3Uri: 'file:///etc/passwd' })).rejects.toThrow('S3Uri: must match');
    expect(imported.tools.find(({ name }) => name === 'aws_s3_cp')?.args).toContainEqual(
      expect.objectContaining({ name: 'source', path: { form: 'url', schemes: ['s3'] } }),
    );
  });

  it('holds what is of this machine to the roots of a policy, and lets pass what is not', async () => {
    const allowed: RootedCall[] = [
      ['aws_s3_cp', { source: 's3://bucket/x', destination: './x', metadata: '{"a":"/b"}' }],
    ];
    const outside: RootedCall[] = [
      ['aws_s3_cp', { source: '/etc/passwd', destination: 's3://bucket/x' }],
      ['aws_s3_cp', { source: 'https://../../../etc/passwd', destination: 's3://bucket/x' }],
      ['aws_s3_cp', { source: 's3://bucket/x', destination: './x', metadata: 'file:///etc/passwd' }],
    ];
    expect(await imported.refused([...allowed, ...outside])).toEqual(outside);
  });

  it('guesses what only reads and what destroys', () => {
    const risks = new Map(imported.tools.map(({ name, risk }) => [name, risk]));
    expect(risks.get('aws_ec2_describe-instances')).toBe('read');
    expect(risks.get('aws_ec2_terminate-instances')).toBe('destructive');
    expect(risks.get('aws_s3_rm')).toBe('destructive');
    expect(risks.get('aws_s3_cp')).toBeUndefined();
  });

  it('wants a choice among hundreds of services, and says what a limit left out', async () => {
    await expect(importBoard(['aws'])).rejects.toThrow(/^aws has \d{3} subcommands, too many to read: .* --only s3\.$/);
    const { notes, close } = await importBoard(['aws'], { limit: 2, parallel: 2 });
    expect(notes.join(' ')).toMatch(/Not read, because there were too many \(--limit\).* and \d{3,} more/);
    await close();
  });
});
