import { describe, expect, it } from 'vitest';
import { type AwsSigner, readAwsHost, signAws } from './sign-aws.ts';

/** The fictitious keys of AWS's published test vectors. */
const VECTOR = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
};
const AT = Date.parse('2015-08-30T12:36:00Z');
const ROOT = 'https://example.amazonaws.com';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

function signatureOf(request: Parameters<typeof signAws>[0], signer: AwsSigner = VECTOR, at = AT): string | undefined {
  return /Signature=(\w+)$/.exec(signAws(request, signer, at).headers?.['authorization'] ?? '')?.[1];
}

describe('signAws', () => {
  it.each([
    ['GET', '/', {}, undefined, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '/', {}, undefined, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'GET',
      '/?Param2=value2&Param1=value1',
      {},
      undefined,
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'GET',
      '/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      {},
      undefined,
      '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
    ],
    ['GET', '/?Param1=value1', {}, undefined, 'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb'],
    ['POST', '/', FORM, 'Param1=value1', 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a'],
  ])('signs %s %s as the published vectors do', (method, path, headers, body, signature) => {
    expect(signatureOf({ method, url: ROOT + path, headers, body })).toBe(signature);
  });

  it("signs S3 requests with the body's hash and unencoded paths, and derives the scope from the host", () => {
    const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
    const at = Date.parse('2013-05-24T00:00:00Z');
    const url = 'https://examplebucket.s3.amazonaws.com';
    const read = signAws({ method: 'GET', url: `${url}/test.txt`, headers: { Range: 'bytes=0-9' } }, keys, at);
    expect(read.headers).toEqual({
      Range: 'bytes=0-9',
      'x-amz-date': '20130524T000000Z',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    });
    const list = { method: 'GET', url: `${url}/?max-keys=2&prefix=J` };
    expect(signatureOf(list, keys, at)).toBe('34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7');
    // The query of an older API, with its own content type and region.
    const users = {
      method: 'GET',
      url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
    };
    const { region, accessKeyId, secretAccessKey } = VECTOR;
    expect(signatureOf(users, { region, accessKeyId, secretAccessKey })).toBe(
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  it('signs the session token, and overrides configured headers with its own', () => {
    const { headers } = signAws(
      { method: 'POST', url: ROOT, headers: { 'X-Amz-Date': 'old', 'X-Amz-Security-Token': 'old' }, body: '{}' },
      { ...VECTOR, sessionToken: 'session' },
      AT,
    );
    expect(headers).toMatchObject({ 'x-amz-date': '20150830T123600Z', 'x-amz-security-token': 'session' });
    expect(Object.keys(headers ?? {})).toHaveLength(3);
    expect(headers?.['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
  });

  it('reads region and service from a host, and names the missing one', () => {
    const hosts: Record<string, string> = {
      'dynamodb.eu-west-1.amazonaws.com': 'dynamodb eu-west-1',
      'abc123.execute-api.us-east-2.amazonaws.com': 'execute-api us-east-2',
      'abc.lambda-url.eu-central-1.on.aws': 'lambda eu-central-1',
      'bucket.with.dots.s3.ap-southeast-2.amazonaws.com': 's3 ap-southeast-2',
      'bucket.s3.dualstack.us-west-2.amazonaws.com': 's3 us-west-2',
      'search-x.us-east-1.es.amazonaws.com': 'es us-east-1',
      'sts.amazonaws.com': 'sts us-east-1',
      'sqs.cn-north-1.amazonaws.com.cn': 'sqs cn-north-1',
      'bedrock-runtime.us-gov-west-1.amazonaws.com': 'bedrock us-gov-west-1',
    };
    for (const [host, scope] of Object.entries(hosts)) {
      const { region, service } = readAwsHost(host);
      expect(`${service} ${region}`).toBe(scope);
    }
    expect(() =>
      signAws({ method: 'GET', url: 'https://minio.example.com/' }, { ...VECTOR, region: undefined }, AT),
    ).toThrow('The request was not signed: minio.example.com does not say its region. Set auth.region in the config.');
  });
});
