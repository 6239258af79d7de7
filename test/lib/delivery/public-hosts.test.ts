import { afterAll, beforeAll, expect, test } from 'vitest';
import { AddressError, checkAddress, publicHosts, resolver } from '../../../lib/delivery/address.ts';
import { createWebhook, updateWebhook } from '../../../lib/events/webhooks.ts';
import { freshTable, wholeTable } from '../../support/service.ts';

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

/** Names that a cloud, a container or a public service of DNS leads into a network of the service's own. */
const namesInside: Record<string, string> = {
  'metadata.google.internal': '169.254.169.254',
  metadata: '169.254.169.254',
  'instance-data.ec2.internal': '169.254.169.254',
  'metadata.azure.internal': '169.254.169.254',
  'kubernetes.default.svc': '10.96.0.1',
  'host.docker.internal': '192.168.65.2',
  'localhost.localdomain': '127.0.0.1',
  'ip6-localhost': '::1',
  '10.0.0.1.nip.io': '10.0.0.1',
  '169-254-169-254.sslip.io': '169.254.169.254',
  'localtest.me': '127.0.0.1',
  'spoofed.burpcollaborator.net': '127.0.0.1',
  // Half of the attack of rebinding: one of two answers leads inside.
  'rebound.example.com': '127.0.0.1',
};

const tunnelled = (ip: string): string[] => {
  const [high, low] = [octets(ip).slice(0, 2), octets(ip).slice(2)].map((pair) => pair.map((one) => hex(one)).join(''));
  const inverted = octets(ip).map((one) => hex(255 - one));
  return [
    // Teredo: the server's address, and the client's with each bit turned.
    ...[
      `[2001:0:${high}:${low}::1]`,
      `[2001:0:808:808:0:0:${inverted.slice(0, 2).join('')}:${inverted.slice(2).join('')}]`,
    ],
    ...[`[64:ff9b:1::${high}:${low}]`, `[fe80::5efe:${high}:${low}]`, `[0:0:0:0:0:ffff:${high}:${low}]`],
    ...[ip.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))],
    ...[ip.replace(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit)))],
    ...[
      ip.replaceAll('.', '．'),
      `example.com@${ip}`,
      `8.8.8.8:443@${ip}`,
      `example.com%40@${ip}`,
      `\t${ip}`,
      `${ip}:443`,
    ],
    ...[`${ip}\\@example.com`, `${ip}\\.example.com`],
  ];
};

const urls = [
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1'].flatMap(tunnelled).map((host) => `https://${host}/`),
  ...Object.keys(namesInside).flatMap((name) => [
    `https://${name}/`,
    `https://${name}./`,
    `https://${name.toUpperCase()}/`,
  ]),
  ...[
    'https://localhost/',
    'https://LOCALHOST./',
    'https://foo.localhost/',
    'https://[::ffff:7f00:1]/',
    'https:\\\\127.0.0.1/',
  ],
  ...private4.flatMap(spellings).map((host) => `https://${host}/`),
  ...['[::1]', '[::]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[ff02::1]', '[2001:db8::1]', '[100::1]'].map(
    (host) => `https://${host}/`,
  ),
  ...['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'example.com'],
  ...['https://example.com:8443/', 'https://example.com:80/', 'https://user@example.com/', 'https://a:b@example.com/'],
  ...['https://example.com/#a', 'https://', 'https:///', 'javascript:alert(1)', 'data:text/plain,a', ''],
];

/**
 * Stands in for DNS. Numbers are looked up as the system does, so that each spelling is refused because of its real
 * address.
 */
const standIn = async (host: string): Promise<{ address: string }[]> => {
  const name = host.replace(/\.$/, '').toLowerCase();
  const inside = namesInside[name];
  if (name === 'example.com') return [{ address: '8.8.8.8' }];
  if (name === 'rebound.example.com') return [{ address: '8.8.8.8' }, { address: inside ?? '' }];
  if (inside !== undefined) return [{ address: inside }];
  // Without a network some systems find `localhost` and not `localhost.`.
  if (/(?:^|\.)localhost$/.test(name)) return [{ address: '127.0.0.1' }];
  if (/[g-wyz]/.test(name)) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
  return lookup(host);
};

test(`refuses ${urls.length} spellings of addresses that lead where no webhook may`, async () => {
  resolver.lookup = standIn;

  const results = await Promise.allSettled(urls.map((url) => checkAddress(url, publicHosts)));

  expect(urls.length).toBeGreaterThan(200);
  expect(urls.filter((_, index) => results[index]?.status === 'fulfilled')).toEqual([]);
});

test('creates no webhook at any of these addresses, leads none there, and says that the address is at fault', async () => {
  resolver.lookup = standIn;
  await freshTable();
  const fields = { events: ['store.closed' as const], description: '', format: 'standard' as const };
  const created = await createWebhook('Store1', { ...fields, url: 'https://example.com/' }, []);

  const creations = await Promise.allSettled(urls.map((url) => createWebhook('Store1', { ...fields, url }, [])));
  const changes = await Promise.allSettled(
    urls.map((url) => updateWebhook('Store1', created.id, { ...fields, url }, [])),
  );

  const refusal = {
    status: 'rejected',
    reason: { status: 400, message: expect.stringMatching(/^url must be a public/) },
  };
  for (const [index, url] of urls.entries()) {
    expect(creations[index], url).toMatchObject(refusal);
    expect(changes[index], url).toMatchObject(refusal);
  }
  expect(await wholeTable('Store1#WEBHOOK')).toMatchObject([{ url: 'https://example.com/' }]);
});

test.each([...private4, '::1', 'fd00::1', '::ffff:10.0.0.1', '64:ff9b::7f00:1'])(
  'refuses a name that leads to %s, also beside a public address',
  async (address) => {
    resolver.lookup = async () => [{ address: '8.8.8.8' }, { address }];

    await expect(checkAddress('https://hooks.example.com/', publicHosts)).rejects.toThrow(AddressError);
  },
);

test('takes any public host on port 443', async () => {
  resolver.lookup = async () => [{ address: '8.8.8.8' }];

  const { ip, url } = await checkAddress('https://hooks.example.com:443/a?b=c', publicHosts);

  expect([ip, url.href]).toEqual(['8.8.8.8', 'https://hooks.example.com/a?b=c']);
});
