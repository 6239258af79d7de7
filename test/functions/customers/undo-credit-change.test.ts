import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { historyKey } from '../../../lib/credit/history.ts';
import { auditTable } from '../../../lib/operator/audit-credit.ts';
import { update } from '../../../lib/table/language.ts';
import { removeMany, write } from '../../../lib/table/table.ts';
import { newCustomer } from '../../support/credit-seed.ts';
import { catchUp, expectHistory, keepHistory } from '../../support/history.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const noon = Date.parse('2028-02-29T12:00:00.000Z');
const at = (seconds: number): string => timestamp(noon + seconds * 1000);
const [june, december] = [at(10_000_000), at(26_000_000)];

beforeAll(async () => {
  service = await startTestService();
  await keepHistory();
});
beforeEach(() => setClock(noon));

const act = (uuid: string, action: string, body: object, headers = {}) =>
  service.call('POST', `/v1/customers/${uuid}/actions/${action}`, body, headers);

/** Makes a change of regular credit, and answers its number. */
const make = async (uuid: string, action: 'set' | 'increment', body: object): Promise<number> => {
  const { status, headers } = await act(uuid, `${action}-credit`, body);
  expect(status).toBe(200);
  return Number(headers.get('credit-sequence'));
};
const give = (uuid: string, delta: number, expiresAt?: string) => make(uuid, 'increment', { delta, expiresAt });
const set = (uuid: string, credit: number, expiresAt?: string) => make(uuid, 'set', { credit, expiresAt });

/** Undoes a change once history tells of it. */
const undo = async (uuid: string, sequence: number, texts: object = {}) => {
  await catchUp();
  return act(uuid, 'undo-credit-change', { sequence, ...texts });
};

/** The result of an undo: what it gave back, what it could not undo, and the balance. */
const undone = async (uuid: string, sequence: number): Promise<[amount: number, left: number, credit: number]> => {
  const { status, body } = await undo(uuid, sequence);
  expect(status).toBe(200);
  return [body.amount, body.left, body.credit.credit];
};

/** The regular credit in lots, by their ends, and the permanent credit. */
const held = async (uuid: string): Promise<[amount: number, expiresAt: string | null][]> => {
  const { body } = await service.call('GET', `/v1/customers/${uuid}/credit/lots?state=open&type=regular`);
  const lots: { remaining: number; expiresAt: string }[] = body.data;
  const { credit } = (await service.call('GET', `/v1/customers/${uuid}/credit`)).body;
  const sums = new Map<string, number>();
  for (const { remaining, expiresAt } of lots) sums.set(expiresAt, (sums.get(expiresAt) ?? 0) + remaining);
  const permanent = lots.reduce((sum, { remaining }) => sum - remaining, credit);
  return [...[...sums].map(([expiresAt, amount]) => [amount, expiresAt] as [number, string]), [permanent, null]];
};

const history = async (uuid: string) => {
  const items = await expectHistory();
  expect(auditTable(items)).toEqual([]);
  return (await service.call('GET', `/v1/customers/${uuid}/credit/history`)).body.data;
};

test('takes a name; 404s for an unknown one', async () => {
  const { uuid, username } = await newResident();
  await give(uuid, 5);

  expect((await undo(username, 1)).body.credit.uuid).toBe(uuid);
  expect((await undo('nobody.known', 1)).status).toBe(404);
});

test('takes back what is left of a gift, by the number that the gift answered; both rows tell of it', async () => {
  const uuid = await newCustomer();
  const sequence = await give(uuid, 100);
  await give(uuid, -40);

  const { status, body, headers } = await undo(uuid, sequence, { reason: 'A slip', reference: 'T 7' });

  expect([status, body]).toEqual([
    200,
    { sequence: 3, amount: -60, left: 40, credit: { ...body.credit, uuid, credit: 0, restrictedCredit: 0 } },
  ]);
  expect(headers.get('credit-sequence')).toBe('3');
  const [last, , first] = await history(uuid);
  expect(last).toMatchObject({
    ...{ sequence: 3, kind: 'undo', amount: -60, undoes: 1, undone: null, reason: 'A slip', reference: 'T 7' },
    lots: [{ id: null, amount: -60, expiresAt: null }],
  });
  expect(first).toMatchObject({ undoes: null, undone: { at: at(0), sequence: 3, amount: -60 } });
});

test.each<[string, (uuid: string) => Promise<number>, [number, number, number]]>([
  [
    'credit that was taken comes back',
    async (uuid) => [await give(uuid, 100), await give(uuid, -80)][1] ?? 0,
    [80, 0, 100],
  ],
  [
    'a set takes back its own credit, and what was spent is paid from what it superseded',
    async (uuid) => {
      await give(uuid, 30);
      const sequence = await set(uuid, 100);
      await give(uuid, -20);
      return sequence;
    },
    [-70, 0, 10],
  ],
  [
    'a set leaves what was spent beyond what it superseded',
    async (uuid) => {
      await give(uuid, 100);
      const sequence = await set(uuid, 150);
      await give(uuid, -120);
      return sequence;
    },
    [-30, 20, 0],
  ],
  [
    'a set to a lot that was spent in part',
    async (uuid) => {
      await give(uuid, 30);
      const sequence = await set(uuid, 100, june);
      await give(uuid, -20);
      return sequence;
    },
    [-70, 0, 10],
  ],
  [
    'a set to a lot that was spent whole gives back what it superseded beyond that',
    async (uuid) => {
      await give(uuid, 150);
      const sequence = await set(uuid, 100, june);
      await give(uuid, -100);
      return sequence;
    },
    [50, 0, 50],
  ],
  [
    'a set to a lot that has expired gives back what it superseded',
    async (uuid) => {
      await give(uuid, 30);
      const sequence = await set(uuid, 100, at(60));
      await give(uuid, -20);
      setClock(noon + 60_000);
      return sequence;
    },
    [10, 80, 10],
  ],
  [
    'of a change before a later set nothing is left, whatever it took',
    async (uuid) => {
      await give(uuid, 90);
      const sequence = await give(uuid, -80);
      await set(uuid, 5);
      return sequence;
    },
    [0, 80, 5],
  ],
  [
    'nor of a set before a later one',
    async (uuid) => {
      await give(uuid, 30);
      const sequence = await set(uuid, 100);
      await set(uuid, 5);
      return sequence;
    },
    [0, 130, 5],
  ],
  [
    'a set does not bring back what came due in its own millisecond',
    async (uuid) => {
      await give(uuid, 30, at(60));
      setClock(noon + 60_000);
      return set(uuid, 100);
    },
    [-100, 0, 0],
  ],
  [
    'permanent credit that was spent is not taken out of later credit',
    async (uuid) => {
      const sequence = await give(uuid, 50);
      await give(uuid, -50);
      await give(uuid, 50);
      return sequence;
    },
    [0, 50, 50],
  ],
  [
    'permanent credit that was set away is not taken out of the set',
    async (uuid) => {
      const sequence = await give(uuid, 50);
      await set(uuid, 50);
      return sequence;
    },
    [0, 50, 50],
  ],
  [
    'a gift with an end takes back its own lot, though others end before and after it',
    async (uuid) => {
      await give(uuid, 50, june);
      const sequence = await give(uuid, 70, december);
      await give(uuid, 50, at(1000));
      await give(uuid, 50);
      return sequence;
    },
    [-70, 0, 150],
  ],
  [
    'a gift that has expired but is not swept yet has ended',
    async (uuid) => {
      await give(uuid, 50);
      const sequence = await give(uuid, 70, at(60));
      setClock(noon + 60_000);
      return sequence;
    },
    [0, 70, 120],
  ],
  [
    'a set to the same amount, one lot for permanent credit',
    async (uuid) => {
      await give(uuid, 50, june);
      return set(uuid, 50);
    },
    [0, 0, 50],
  ],
])('%s', async (_, arrange, expected) => {
  const uuid = await newCustomer();
  const sequence = await arrange(uuid);

  expect(await undone(uuid, sequence)).toEqual(expected);

  await history(uuid);
});

test('a set, and a removal, over lots give back each with its end', async () => {
  const before: [number, string | null][] = [
    [150, june],
    [300, december],
    [500, null],
  ];
  for (const change of [
    (uuid: string) => give(uuid, 100),
    (uuid: string) => give(uuid, -200),
    (uuid: string) => give(uuid, -600),
    (uuid: string) => set(uuid, 7),
    (uuid: string) => set(uuid, 700, june),
  ]) {
    const uuid = await newCustomer();
    for (const [amount, expiresAt] of before) await give(uuid, amount, expiresAt ?? undefined);
    const sequence = await change(uuid);

    await undone(uuid, sequence);

    expect(await held(uuid)).toEqual(before);
    await history(uuid);
  }
});

test('credit comes back above the limit; what is due by then expires in the same change', async () => {
  const uuid = await newCustomer();
  await give(uuid, 400, at(60));
  await give(uuid, 600);
  const sequence = await give(uuid, -500);
  await give(uuid, 999_999_000);
  setClock(noon + 60_000);

  expect(await undone(uuid, sequence)).toEqual([500, 0, 999_999_600]);

  const [row] = await history(uuid);
  expect(row).toMatchObject({ kind: 'undo', amount: 500, expired: 400 });
});

test('lots beyond 40 come back joined, with the later end', async () => {
  const uuid = await newCustomer();
  for (let minute = 1; minute <= 42; minute++) await give(uuid, 1, at(60 * minute));
  const sequence = await give(uuid, -42);

  await undone(uuid, sequence);

  const lots = (await held(uuid)).slice(0, -1);
  expect([lots.length, lots.reduce((sum, [amount]) => sum + amount, 0), lots.at(-1)?.[1]]).toEqual([40, 42, at(2520)]);
});

test('a removal of more than 200 lots gives all of it back', async () => {
  const uuid = await newCustomer();
  for (let minute = 1; minute <= 205; minute++) await give(uuid, 2, at(60 * minute));
  const sequence = await give(uuid, -410);

  expect(await undone(uuid, sequence)).toEqual([410, 0, 410]);

  const lots = (await held(uuid)).slice(0, -1);
  expect([lots.length, lots.at(-1)?.[1]]).toEqual([40, at(60 * 205)]);
});

test('several undos end the same in any order', async () => {
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
  ];
  for (const order of orders) {
    const uuid = await newCustomer();
    const made = [await give(uuid, 50, december), await give(uuid, 50, june), await give(uuid, 50)];
    made.push(await give(uuid, 50));

    for (const place of order) await undone(uuid, made[place] ?? 0);

    expect(await held(uuid)).toEqual([[0, null]]);
    await history(uuid);
  }
});

test('of 130 spent from two gifts and older credit, both orders of the undos leave the same', async () => {
  const left = [];
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const uuid = await newCustomer();
    await give(uuid, 60);
    const made = [await give(uuid, 50), await give(uuid, 100, june)];
    await give(uuid, -130);
    for (const place of order) await undone(uuid, made[place] ?? 0);
    left.push(await held(uuid));
  }
  expect(left[0]).toEqual(left[1]);
});

test('the first undo counts: a later one, and two at once, answer the same with the credit of now', async () => {
  const uuid = await newCustomer();
  const sequence = await give(uuid, 100);
  await catchUp();
  const body = (reason: string) => ({ sequence, reason });

  const both = await Promise.all(['one', 'two'].map((reason) => act(uuid, 'undo-credit-change', body(reason))));
  await give(uuid, 7);
  const later = await undo(uuid, sequence, { reason: 'three' });

  const answers = [...both, later].map((answer) => [answer.status, answer.body.sequence, answer.body.amount]);
  expect(answers).toEqual(Array(3).fill([200, 2, -100]));
  expect(later.body.credit.credit).toBe(7);
  expect((await history(uuid)).filter(({ kind }: { kind: string }) => kind === 'undo')).toHaveLength(1);
});

test('nothing left: null as the number, no change, and the change counts as undone', async () => {
  const uuid = await newCustomer();
  const sequence = await give(uuid, 50);
  await give(uuid, -50);

  const { body, headers } = await undo(uuid, sequence);
  const again = await undo(uuid, sequence);

  expect([body.sequence, body.amount, body.left, again.body.left]).toEqual([null, 0, 50, 50]);
  expect(headers.get('credit-sequence')).toBeNull();
  const rows = await history(uuid);
  expect(rows).toHaveLength(2);
  expect(rows[1].undone).toEqual({ at: at(0), sequence: null, amount: 0 });
});

test('an Idempotency-Key answers again with the same number', async () => {
  const uuid = await newCustomer();
  const headers = { 'Idempotency-Key': randomUUID() };
  const gift = () => act(uuid, 'increment-credit', { delta: 5 }, headers);
  const numbers = [(await gift()).headers.get('credit-sequence'), (await gift()).headers.get('credit-sequence')];
  await catchUp();
  const key = { 'Idempotency-Key': randomUUID() };
  const first = await act(uuid, 'undo-credit-change', { sequence: 1 }, key);
  const repeated = await act(uuid, 'undo-credit-change', { sequence: 1 }, key);

  expect(numbers).toEqual(['1', '1']);
  expect([repeated.headers.get('idempotent-replayed'), repeated.body]).toEqual(['true', first.body]);
  expect(repeated.headers.get('credit-sequence')).toBe('2');
});

test('400s for a change of another kind, and beyond the last', async () => {
  const uuid = await newCustomer();
  const sequence = await give(uuid, 5);
  await undone(uuid, sequence);

  const ofUndo = await undo(uuid, 2);
  const beyond = await undo(uuid, 3);

  expect([ofUndo.status, ofUndo.body.detail, beyond.status, beyond.body.detail]).toEqual([
    400,
    'sequence must be that of a set or an increment: the change 2 is of the kind undo.',
    400,
    'sequence must be at most 2.',
  ]);
});

test.each([
  ['unrecorded', 'History does not know all that has followed the change 1: take the credit back by an increment.'],
  ['opening', 'sequence must be that of a change since history began: 1 is older.'],
])('400s where history does not know it: %s', async (kind, detail) => {
  const uuid = await newCustomer();
  for (const delta of [5, 6]) await give(uuid, delta);
  await catchUp();
  const key = (number: number) => historyKey(service.store, uuid, 'regular', number);
  await write(update(key(2), { set: { kind } }));
  if (kind === 'opening') await removeMany([key(1)]);

  const { status, body } = await undo(uuid, 1);

  expect([status, body.detail]).toEqual([400, detail]);
});

test('503s while history is behind, and changes nothing; a gift with an end does not wait for what followed', async () => {
  const uuid = await newCustomer();
  const [permanent, lot] = [await give(uuid, 50), await give(uuid, 30, june)];
  await catchUp();
  await give(uuid, -10);

  const early = await act(uuid, 'undo-credit-change', { sequence: permanent });
  const ofLot = await act(uuid, 'undo-credit-change', { sequence: lot });

  expect([early.status, early.headers.get('retry-after') !== null]).toEqual([503, true]);
  expect([ofLot.status, ofLot.body.amount, ofLot.body.left]).toEqual([200, -20, 10]);
  expect(await undone(uuid, permanent)).toEqual([-50, 0, 0]);
});

test('days count an undo on its own day, by its sign', async () => {
  const uuid = await newCustomer();
  const given = await give(uuid, 100);
  const taken = await give(uuid, -30);
  setClock(noon + 86_400_000);
  await undone(uuid, taken);
  await undone(uuid, given);
  await catchUp();

  const { body } = await service.call('GET', '/v1/store/days?from=2028-03-01&to=2028-03-01');

  expect(body.data).toMatchObject([{ creditAdded: 30, creditRemoved: 70 }]);
});
