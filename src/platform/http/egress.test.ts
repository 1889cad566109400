import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from './egress.ts';

const policy = createEgressPolicy();

describe('createEgressPolicy', () => {
  it.each([
    ['http://127.0.0.1/', 'loopback'],
    ['http://2130706433/', 'loopback'],
    ['http://0x7f.1/', 'loopback'],
    ['http://0177.0.0.1/', 'loopback'],
    ['http://127.1/', 'loopback'],
    ['http://127.0.0.1./', 'loopback'],
    ['http://１２７.0.0.1/', 'loopback'],
    ['http://[::1]/', 'loopback'],
    ['http://[::ffff:127.0.0.1]/', 'loopback'],
    ['http://[::ffff:7f00:1]/', 'loopback'],
    ['http://[64:ff9b::127.0.0.1]/', 'loopback'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'link-local'],
    ['http://0/', 'unspecified'],
    ['http://[::]/', 'unspecified'],
    ['http://10.1.2.3/', 'private'],
    ['http://172.31.255.255/', 'private'],
    ['http://192.168.0.1/', 'private'],
    ['http://[fd00:ec2::254]/', 'private'],
    ['http://169.254.169.254/', 'link-local'],
    ['http://[fe80::1]/', 'link-local'],
    ['http://100.64.0.1/', 'carrier-grade NAT'],
    ['http://100.127.255.255/', 'carrier-grade NAT'],
    ['http://224.0.0.1/', 'multicast'],
    ['http://[ff02::1]/', 'multicast'],
    ['http://255.255.255.255/', 'reserved'],
    ['http://[2001:db8::1]/', 'documentation'],
    ['http://[2002:7f00:1::]/', 'tunnelled IPv4'],
    ['http://[2002:808:808::]/', 'tunnelled IPv4'],
    ['http://[::127.0.0.1]/', 'tunnelled IPv4'],
    ['http://[64:ff9b:1::7f00:1]/', 'tunnelled IPv4'],
    ['http://[2001:0:1::1]/', 'reserved'],
  ])('refuses %s as %s', (address, kind) => {
    const refusal = policy.checkUrl(new URL(address));
    expect(refusal?.code).toBe('permission_denied');
    expect(refusal?.message).toContain(`the address is ${kind}, not public`);
  });

  it.each([
    'http://8.8.8.8/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'http://[2606:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::808:808]/',
  ])('allows %s', (address) => expect(policy.checkUrl(new URL(address))).toBeUndefined());

  it('says how to allow an address in the config', () => {
    expect(policy.checkUrl(new URL('https://[::1]/'))?.message).toBe(
      'Requests to [::1]:443 are not allowed: the address is loopback, not public. To permit it, add "[::1]:443" to allow_hosts of the tool, or of http: in its file for all its tools.',
    );
    expect(policy.checkAddress('10.0.0.7', { hostname: 'db.internal', port: 80 })?.message).toBe(
      'Requests to db.internal:80 (10.0.0.7) are not allowed: the address is private, not public. To permit it, add "db.internal:80" to allow_hosts of the tool, or of http: in its file for all its tools.',
    );
  });

  it.each(['ftp://8.8.8.8/', 'file:///etc/passwd', 'data:text/plain,x', 'ws://8.8.8.8/'])(
    'refuses the scheme of %s',
    (address) => {
      const refusal = policy.checkUrl(new URL(address));
      expect(refusal?.code).toBe('permission_denied');
      expect(refusal?.message).toMatch(/^The scheme ".+:" is not allowed in a request\. Use http: or https:\.$/);
    },
  );

  it('refuses a blob address whose origin has passed', () => {
    const policy = createEgressPolicy();
    expect(policy.checkUrl(new URL('http://8.8.8.8/'))).toBeUndefined();
    expect(policy.checkUrl(new URL('blob:http://8.8.8.8/x'))?.code).toBe('permission_denied');
  });

  it('refuses what is not an address', () => {
    expect(policy.checkAddress('', { hostname: 'h', port: 80 })?.code).toBe('permission_denied');
  });

  it.each([
    ['localhost', 'localhost', '127.0.0.1', 80, true],
    ['LocalHost', 'localhost.', '::1', 80, true],
    ['localhost:3000', 'localhost', '127.0.0.1', 3000, true],
    ['localhost:3000', 'localhost', '127.0.0.1', 3001, false],
    ['localhost:80', 'localhost', '127.0.0.1', 80, true],
    ['localhost', 'evil.example', '127.0.0.1', 80, false],
    ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', 80, true],
    ['127.0.0.1:81', 'localhost', '127.0.0.1', 80, false],
    ['10.0.0.0/8', 'h', '10.255.0.1', 80, true],
    ['10.0.0.0/8', 'h', '11.0.0.1', 80, true],
    ['10.0.0.0/9', 'h', '10.128.0.1', 80, false],
    ['fd00::/8', 'h', 'fd12::1', 80, true],
    ['fd00::/8', 'h', 'fe80::1', 80, false],
    ['[::1]:8080', 'h', '::1', 8080, true],
    ['::1', 'h', '::1', 9, true],
    ['0x7f.1', 'h', '127.0.0.1', 9, true],
  ])('with %s allowed, judges %s at %s:%i', (entry, hostname, address, port, passes) => {
    const refusal = createEgressPolicy({ allow: [entry] }).checkAddress(address, { hostname, port });
    expect(refusal === undefined).toBe(passes);
  });

  it.each(['http://h/', '10.0.0.0/33', '*.example.com', 'a b', '', 'user@h'])('refuses %j as an entry', (entry) => {
    expect(() => createEgressPolicy({ allow: [entry] })).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        message: `The egress allow list cannot contain ${JSON.stringify(entry)}. Use a host, host:port, an address or a block such as 10.0.0.0/8.`,
      }),
    );
  });

  it('judges an IPv4 address the same in every spelling', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const spellings = [
          address,
          String(number),
          `0x${number.toString(16)}`,
          `[::ffff:${address}]`,
          `[64:ff9b::${address}]`,
        ];
        const verdicts = spellings.map((spelling) => policy.checkUrl(new URL(`http://${spelling}/`)) === undefined);
        expect(new Set(verdicts).size).toBe(1);
      }),
    );
  });
});
