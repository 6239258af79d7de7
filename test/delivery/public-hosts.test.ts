import { afterAll, beforeAll, expect, test } from 'vitest';
import { AddressRefused, checkAddress, publicHosts, resolver } from '../../lib/delivery/address.ts';

const { lookup } = resolver;
beforeAll(() => {
  delete process.env.DISPENSER_LOOPBACK;
});
afterAll(() => {
  resolver.lookup = lookup;
});

/** IPv4 addresses into a network of the service's own, of its cloud, or of nobody. */
const private4 = [
  ...['127.0.0.1', '127.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254'],
  ...['169.254.170.2', '100.64.0.1', '100.100.100.200', '0.0.0.0', '0.1.2.3', '192.0.0.1', '192.0.2.1', '198.18.0.1'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
];

const octets = (ip: string): number[] => ip.split('.').map(Number);
const hex = (value: number, digits = 2): string => value.toString(16).padStart(digits, '0');

/** The spellings of an IPv4 address that programs understand. */
const spellings = (ip: string): string[] => {
  const [a = 0, b = 0, c = 0, d = 0] = octets(ip);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const [high, low] = [hex(a * 256 + b, 4), hex(c * 256 + d, 4)];
  return [
    ...[ip, `${ip}.`, String(whole), `0x${hex(whole, 8)}`, `0${whole.toString(8)}`],
    ...[
      `${a}.${b * 65_536 + c * 256 + d}`,
      `${a}.${b}.${c * 256 + d}`,
      octets(ip)
        .map((one) => `0x${hex(one)}`)
        .join('.'),
    ],
    ...[
      octets(ip)
        .map((one) => `0${one.toString(8)}`)
        .join('.'),
      ip.replaceAll('.', '。'),
      ip.replaceAll('.', '%2e'),
    ],
    ...[`[::ffff:${ip}]`, `[::ffff:${high}:${low}]`, `[::${high}:${low}]`, `[64:ff9b::${high}:${low}]`],
    ...[`[2002:${high}:${low}::1]`, `[::ffff:0:${high}:${low}]`],
  ];
};

const urls = [
  ...private4.flatMap(spellings).map((host) => `https://${host}/`),
  ...['[::1]', '[::]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[ff02::1]', '[2001:db8::1]', '[100::1]'].map(
    (host) => `https://${host}/`,
  ),
  ...['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'example.com'],
  ...['https://example.com:8443/', 'https://example.com:80/', 'https://user@example.com/', 'https://a:b@example.com/'],
  ...['https://example.com/#a', 'https://', 'https:///', 'javascript:alert(1)', 'data:text/plain,a', ''],
];

test(`refuses ${urls.length} spellings of addresses that lead where no webhook may`, async () => {
  // A name never leads anywhere here: each spelling has to be refused for the address that it is.
  resolver.lookup = async (host) => (host === 'example.com' ? [{ address: '8.8.8.8' }] : lookup(host));

  const results = await Promise.allSettled(urls.map((url) => checkAddress(url, publicHosts)));

  expect(urls.length).toBeGreaterThan(200);
  expect(urls.filter((_, index) => results[index]?.status === 'fulfilled')).toEqual([]);
});

test.each([...private4, '::1', 'fd00::1', '::ffff:10.0.0.1', '64:ff9b::7f00:1'])(
  'refuses a name that leads to %s, also beside a public address',
  async (address) => {
    resolver.lookup = async () => [{ address: '8.8.8.8' }, { address }];

    await expect(checkAddress('https://hooks.example.com/', publicHosts)).rejects.toThrow(AddressRefused);
  },
);

test('takes any public host on port 443', async () => {
  resolver.lookup = async () => [{ address: '8.8.8.8' }];

  const { ip, url } = await checkAddress('https://hooks.example.com:443/a?b=c', publicHosts);

  expect([ip, url.href]).toEqual(['8.8.8.8', 'https://hooks.example.com/a?b=c']);
});
