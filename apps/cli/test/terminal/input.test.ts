import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { source } from '../../../../lib/clock.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { issueKey, listKeys } from '../../../../lib/store/issued-keys.ts';
import { db, tableName } from '../../../../lib/table/client.ts';
import { sharedKey } from '../../../../lib/table/keys.ts';
import { parseEnd, parseOverlap, parseStart } from '../../terminal/input.ts';
import { startForCli } from '../support/cli.ts';

const { now } = source;
afterEach(() => {
  source.now = now;
});

const tooLong = /It must be at most 100 years, which are 5217w\./;

describe('a duration', () => {
  test('is refused if it is longer than 100 years', () => {
    for (const text of ['999999w', '5218w', '36526d', '999999d'])
      for (const parse of [parseOverlap, parseEnd]) expect(() => parse(text), text).toThrow(tooLong);
    expect(Date.parse(parseOverlap('5217w')()) - now()).toBeCloseTo(5217 * 7 * 86_400_000, -4);
  });

  test('ends in the year 9999 at the latest, since times are compared as texts', () => {
    source.now = () => Date.parse('9990-01-01T00:00:00Z');

    expect(parseEnd('5000w')()).toBe('9999-12-31T23:59:59.999Z');
    expect(parseEnd('1d')()).toBe('9990-01-02T00:00:00.000Z');
  });
});

test('a start is a duration ago, the first moment of a day, or a time', () => {
  source.now = () => Date.parse('2027-03-02T00:00:00Z');

  const starts = ['24h', '2027-01-31', '2027-01-31T12:00:00+01:00'].map((text) => parseStart(text)());

  expect(starts).toEqual(['2027-03-01T00:00:00.000Z', '2027-01-31T00:00:00.000Z', '2027-01-31T11:00:00.000Z']);
  for (const text of ['0d', 'yesterday', '2027-13-01'])
    expect(() => parseStart(text), text).toThrow(/a duration such as 90d/);
});

describe('a rotation', () => {
  let service: Awaited<ReturnType<typeof startForCli>>;
  beforeAll(async () => {
    service = await startForCli({ demo: false });
  });

  const issue = async (name: string, expiresAt: string) => {
    const { id } = await createStore(name);
    const { key } = await issueKey({ store: id, name: 'bot', scopes: ['products:read'], stage: 'test', expiresAt });
    return {
      key,
      rotate: (...args: string[]) => service.run('key', 'rotate', 'bot', '--store', id, '--json', ...args),
    };
  };

  test('never extends the life of the old key, even with a long overlap', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const { key, rotate } = await issue('Overlapping', expiresAt);

    const refused = await rotate('--overlap', '999999w');
    const rotated = await rotate('--overlap', '5217w');

    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(tooLong) });
    expect(rotated.code).toBe(0);
    expect((await listKeys(key.store))[0]).toMatchObject({ id: key.id, expiresAt });
  });

  test('keeps the old key through the day of its overlap, and refuses a day that is over', async () => {
    const { key, rotate } = await issue('Dated', '2099-12-31T23:59:59.999Z');

    const past = await rotate('--overlap', '2020-01-31');
    const rotated = await rotate('--overlap', '2098-01-31');

    expect(past).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('2020-01-31T23:59:59.999Z is') });
    expect(rotated.code).toBe(0);
    expect((await listKeys(key.store))[0]).toMatchObject({ id: key.id, expiresAt: '2098-01-31T23:59:59.999Z' });
  });

  test('ends the old key at once with an overlap of 0', async () => {
    const { key, rotate } = await issue('Abrupt', '2099-12-31T23:59:59.999Z');

    const rotated = await rotate('--overlap', '0h');

    const old = (await listKeys(key.store)).find(({ id }) => id === key.id);
    expect(rotated.code).toBe(0);
    expect(Date.parse(old?.expiresAt ?? '')).toBeLessThanOrEqual(Date.now());
  });

  test('ends an old key that would outlive the year 9999, and its successor with that year', async () => {
    const { key, rotate } = await issue('Endless', '9999-12-31T23:59:59.999Z');
    await db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: sharedKey('KEY', key.id),
        UpdateExpression: 'SET expiresAt = :end',
        ExpressionAttributeValues: { ':end': '+021190-01-01T00:00:00.000Z' },
      }),
    );

    const rotated = await rotate('--overlap', '1h');

    const [old, next] = await listKeys(key.store);
    expect(rotated.code).toBe(0);
    expect(Date.parse(old?.expiresAt ?? '')).toBeLessThan(Date.now() + 2 * 3_600_000);
    expect(next?.expiresAt).toBe('9999-12-31T23:59:59.999Z');
  });
});
