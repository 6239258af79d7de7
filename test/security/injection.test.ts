import { expect, test } from 'vitest';
import { scopes } from '../../lib/routes/scopes.ts';
import { startTestQueue } from '../support/deliveries.ts';
import { exampleOf, routesInOrder, seedExamples } from '../support/example-requests.ts';
import { intercept } from '../support/faults.ts';
import { ada, bob, seedResidents } from '../support/residents.ts';
import { startTestService, wholeTable } from '../support/service.ts';

/** Text with a meaning in expressions, keys, patterns or templates. In a request it has none. */
const texts = [
  '#a = :b',
  ':value',
  '#name',
  'attribute_exists(pk)',
  'SET credit = :v REMOVE folded',
  "' OR '1'='1",
  'pk',
  'product#store',
  '#CODE',
  'KEY#x',
  'sha256:0000',
  '%',
  '_',
  '*',
  '.*',
  '[a-z]+',
  '$1 $& $$',
  '{{constructor}}',
  '__proto__',
  'constructor',
  'toString',
  '\\',
  '"}',
  'null',
  '-1',
];

// biome-ignore lint/suspicious/noExplicitAny: the inputs of all commands, looked at member by member.
const inputs: any[] = [];

process.env.DISPENSER_LOOPBACK = 'allowed';
await startTestQueue();
const service = await startTestService();
await seedResidents();
const rows = await seedExamples(service.call);
intercept(async ({ input }, send) => {
  inputs.push(input);
  return send();
});

/** The expressions and attribute names of a command. */
const expressionsOf = (input: unknown): string[] => {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    if (name.endsWith('Expression')) return [String(value)];
    if (name === 'ExpressionAttributeNames') return Object.entries(value ?? {}).flat() as string[];
    return name === 'ExpressionAttributeValues' || name === 'Item' ? [] : expressionsOf(value);
  });
};

test('no expression or attribute name contains text of a request', async () => {
  const mark = 'qzvmark';

  const call = service.callAs(await service.keyWith(scopes));

  for (const row of routesInOrder) {
    const { path, body } = exampleOf(row, rows, `${mark} ${row.id}`);
    const marked = body && JSON.parse(JSON.stringify(body).replace(/"(New|Because|Hello|Here|Chair)"/g, `"${mark}"`));
    const more = { [mark]: mark, pk: mark, sk: mark, [`#${mark}`]: mark, [`:${mark}`]: mark };
    const query = `${path.includes('?') ? '&' : '?'}search=${mark}&${mark}=1`;
    const answer = await call(row.method, `${path}${query}`, body && { ...more, ...marked });
    expect([row.status, 404], `${row.id} ${JSON.stringify(answer.body)}`).toContain(answer.status);
  }

  expect(JSON.stringify(inputs)).toContain(mark);
  expect(inputs.flatMap(expressionsOf).filter((text) => text.includes(mark))).toEqual([]);
});

const keyShape =
  /^(?:(?:STORE|KEY|PAGE|RESIDENT|NAME|LOG)#[\w.-]+|STORE#|LOG#|\w{12}#[A-Z_]+(?:(?:#of)?#[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:#(?:regular|restricted))?)?)$/;

test.each(texts)('%s works as a code, name, description, reason and search', async (text) => {
  const before = await wholeTable();
  const post = async (path: string, body: object) => (await service.call('POST', path, body)).body;

  const coupon = await post('/v1/coupons', { code: text, ownerIdentifier: ada.uuid });
  const category = await post('/v1/categories', { name: text });
  const product = await post('/v1/products', { name: text, price: 1, item: 'Chair', description: `~${text}~` });
  const ban = await post(`/v1/customers/${bob.uuid}/actions/ban`, { reason: text });
  const applied = await post(`/v1/customers/${bob.uuid}/actions/apply-coupon`, { code: text, scope: 0 });
  const delivered = await post(`/v1/products/${product.id}/actions/deliver`, {
    recipientIdentifier: bob.uuid,
    message: text,
  });
  const found = await service.call('GET', `/v1/products?search=${encodeURIComponent(`~${text}~`)}`);

  expect([coupon.code, category.name, product.name, delivered.message]).toEqual([text, text, text, text]);
  expect(ban.isBanned).toBe(true);
  expect(applied.couponId).toBe(coupon.id);
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([product.id]);
  const keys = new Set(before.map(({ pk, sk }) => `${pk} ${sk}`));
  const after = await wholeTable();
  const added = after.filter(({ pk, sk }) => !keys.has(`${pk} ${sk}`)).map(({ pk }) => String(pk).split('#')[1]);
  // Only the first round creates bob's application.
  expect(added.filter((kind) => kind !== 'APPLIED').sort()).toEqual(['CATEGORY', 'CODE', 'COUPON', 'PRODUCT']);
  for (const { pk } of after) expect(pk).toMatch(keyShape);
});

test.each(['STORE#x', 'bob#x', 'NAME#bob', 'bob/../ada', '*', 'bob\u0000', '#', 'bob.', '.bob', 'bob OR 1=1'])(
  'refuses the username %j before it reads the table',
  async (identifier) => {
    const answer = await service.call('GET', `/v1/customers/${encodeURIComponent(identifier)}`);

    expect([answer.status, answer.cost?.calls]).toEqual([400, 0]);
  },
);
