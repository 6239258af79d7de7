import { beforeAll, beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../lib/clock.ts';
import { auditTable } from '../../lib/store/credit-audit.ts';
import { listLots } from '../../lib/store/credit-lots.ts';
import { identifierCases, newResident } from './customer-cases.ts';
import { setClock, startTestService, wholeTable } from './service.ts';

/** The cases of the four credit actions: those of the two types differ only in which balance and lots they mean. */

interface Target {
  action: string;
  field: 'credit' | 'restrictedCredit';
  otherAction: string;
}

const noon = Date.parse('2028-02-29T12:00:00.000Z');
const at = (seconds: number) => timestamp(noon + 1000 * seconds);
const limit = 1_000_000_000;

const futureFault = 'expiresAt must be in the future.';

const setUp = ({ action, field, otherAction }: Target) => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const other = field === 'credit' ? 'restrictedCredit' : 'credit';
  const actionsOf = (uuid: string) => `/v1/customers/${uuid}/actions`;
  beforeAll(async () => {
    setClock(noon);
    service = await startTestService();
  });
  beforeEach(() => setClock(noon));

  return {
    service: () => service,
    other,
    act: (uuid: string, body: unknown) => service.call('POST', `${actionsOf(uuid)}/${action}`, body),
    set: (uuid: string, body: unknown) =>
      service.call('POST', `${actionsOf(uuid)}/set-${field === 'credit' ? 'credit' : 'restricted-credit'}`, body),
    actOnOther: (uuid: string, body: unknown) => service.call('POST', `${actionsOf(uuid)}/${otherAction}`, body),
    /** The lots of a customer as [state, remaining], in the order of their ends. */
    lots: async (uuid: string) =>
      (await listLots(service.store, uuid))
        .sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
        .map(({ state, remaining }) => [state, remaining]),
    /** When, and by which request, the lots of a customer ended, in the order of their ends. */
    endings: async (uuid: string) =>
      (await listLots(service.store, uuid))
        .sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
        .map(({ endedAt, endedBy }) => [endedAt, endedBy]),
  };
};

export const setCases = (target: Target): void => {
  const { field } = target;
  const { service, other, act, actOnOther, lots, endings } = setUp(target);

  identifierCases(service, 'POST', `/actions/${target.action}`, { credit: 5 });

  test('200s with both balances for a resident whom the store has never touched', async () => {
    const { uuid, username } = await newResident(1);

    const { status, body } = await act(uuid, { credit: 500 });

    expect(status).toBe(200);
    expect(body).toEqual({ uuid, username, [field]: 500, [other]: 0 });
    expect((await service().call('GET', `/v1/customers/${uuid}/credit`)).body).toEqual(body);
  });

  test('makes one lot of the whole balance when it expires, and none when it does not or is 0', async () => {
    const { uuid } = await newResident(2);

    await act(uuid, { credit: 500, expiresAt: at(60) });
    const expiring = await lots(uuid);
    await act(uuid, { credit: 400 });
    const permanent = await lots(uuid);
    const { body } = await act(uuid, { credit: 0, expiresAt: at(60) });

    expect(expiring).toEqual([['open', 500]]);
    expect(permanent).toEqual([['superseded', 500]]);
    expect(body[field]).toBe(0);
    expect(await lots(uuid)).toEqual(permanent);
    expect(auditTable(await wholeTable())).toEqual([]);
  });

  test('supersedes the open lots of this type, expires the due ones, and keeps what they held, when and by which request they ended', async () => {
    const { uuid } = await newResident(3);
    await act(uuid, { credit: 500, expiresAt: at(10) });
    const increment = target.action.replace('set', 'increment');
    await service().call('POST', `/v1/customers/${uuid}/actions/${increment}`, { delta: 20, expiresAt: at(20) });
    setClock(noon + 10_000);

    const { body, headers } = await act(uuid, { credit: 7, expiresAt: at(30) });

    expect(body[field]).toBe(7);
    expect(await lots(uuid)).toEqual([
      ['expired', 500],
      ['superseded', 20],
      ['open', 7],
    ]);
    const ended = [at(10), headers.get('x-request-id')];
    expect(await endings(uuid)).toEqual([ended, ended, [undefined, undefined]]);
    expect(auditTable(await wholeTable())).toEqual([]);
  });

  test('touches neither balance nor lots of the other type', async () => {
    const { uuid } = await newResident(4);
    await actOnOther(uuid, { credit: 30, expiresAt: at(60) });

    const { body } = await act(uuid, { credit: 500 });

    expect(body).toMatchObject({ [field]: 500, [other]: 30 });
    expect(await lots(uuid)).toEqual([['open', 30]]);
  });

  test('takes a balance of exactly the credit limit', async () => {
    const { uuid } = await newResident(5);

    const { status, body } = await act(uuid, { credit: limit });

    expect(status).toBe(200);
    expect(body[field]).toBe(limit);
  });

  test.each([
    [{ credit: 5, expiresAt: at(0) }, [futureFault]],
    [{ credit: 5, expiresAt: at(-1) }, [futureFault]],
    [{ credit: 0, expiresAt: at(-1) }, [futureFault]],
    [{ credit: 5, expiresAt: '2028-02-29T13:00:00+01:00' }, [futureFault]],
    [{ credit: limit + 1 }, [`credit must be at most the credit limit of ${limit}.`]],
    [{ credit: limit + 1, expiresAt: at(0) }, [futureFault, `credit must be at most the credit limit of ${limit}.`]],
    [{ credit: -1 }, ['credit must be a whole number from 0 to 2147483647.']],
    [{ credit: 1.5 }, ['credit must be a whole number from 0 to 2147483647.']],
    [{ credit: '5' }, ['credit must be a whole number from 0 to 2147483647.']],
    [{ credit: 2 ** 31 }, ['credit must be a whole number from 0 to 2147483647.']],
    [{}, ['credit is required: it must be a whole number from 0 to 2147483647.']],
    [
      { credit: 5, expiresAt: 'tomorrow' },
      ['expiresAt must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.'],
    ],
    [
      { credit: -1, expiresAt: '2030-02-29T12:00:00Z' },
      [
        'credit must be a whole number from 0 to 2147483647.',
        'expiresAt must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.',
      ],
    ],
    ['', ['The body must be a JSON object.']],
    ['[5]', ['The body must be a JSON object.']],
  ])('400s for the body %j and leaves the table byte for byte as it was', async (sent, errors) => {
    const { uuid } = await newResident(6);
    await act(uuid, { credit: 10, expiresAt: at(1) });
    const before = await wholeTable();

    const { status, body } = await act(uuid, sent);

    expect(status).toBe(400);
    expect(body.errors).toEqual(errors);
    expect(await wholeTable()).toEqual(before);
  });
};

export const incrementCases = (target: Target): void => {
  const { field } = target;
  const { service, other, act, set, actOnOther, lots, endings } = setUp(target);

  identifierCases(service, 'POST', `/actions/${target.action}`, { delta: 5 });

  test('200s with both balances for a resident whom the store has never touched', async () => {
    const { uuid, username } = await newResident(1);

    const { status, body } = await act(uuid, { delta: 500 });

    expect(status).toBe(200);
    expect(body).toEqual({ uuid, username, [field]: 500, [other]: 0 });
    expect((await service().call('GET', `/v1/customers/${uuid}/credit`)).body).toEqual(body);
  });

  test('adds one lot when it expires, none when it does not, and closes none', async () => {
    const { uuid } = await newResident(2);

    await act(uuid, { delta: 500, expiresAt: at(60) });
    await act(uuid, { delta: 30 });
    const { body } = await act(uuid, { delta: 1, expiresAt: at(30) });

    expect(body[field]).toBe(531);
    expect(await lots(uuid)).toEqual([
      ['open', 1],
      ['open', 500],
    ]);
    expect(auditTable(await wholeTable())).toEqual([]);
  });

  test('drains the lots that expire first, and what is not in lots last', async () => {
    const { uuid } = await newResident(3);
    await act(uuid, { delta: 30 });
    await act(uuid, { delta: 20, expiresAt: at(60) });
    await act(uuid, { delta: 10, expiresAt: at(30) });

    const first = await act(uuid, { delta: -15 });
    const afterFirst = await lots(uuid);
    setClock(noon + 1000);
    const second = await act(uuid, { delta: -20 });

    expect([first.body[field], second.body[field]]).toEqual([45, 25]);
    expect(afterFirst).toEqual([
      ['drained', 0],
      ['open', 15],
    ]);
    expect(await lots(uuid)).toEqual([
      ['drained', 0],
      ['drained', 0],
    ]);
    expect(await endings(uuid)).toEqual([
      [at(0), first.headers.get('x-request-id')],
      [at(1), second.headers.get('x-request-id')],
    ]);
    expect(auditTable(await wholeTable())).toEqual([]);
  });

  test('drains lots that expire together in the order of their creation', async () => {
    const { uuid } = await newResident(4);
    for (const [index, delta] of [10, 20].entries()) {
      setClock(noon + index);
      await act(uuid, { delta, expiresAt: at(60) });
    }

    await act(uuid, { delta: -10 });

    expect((await listLots(service().store, uuid)).map(({ amount, state }) => [amount, state])).toEqual([
      [10, 'drained'],
      [20, 'open'],
    ]);
  });

  test('takes the whole balance, to the last L$', async () => {
    const { uuid } = await newResident(5);
    await act(uuid, { delta: 10, expiresAt: at(60) });
    await act(uuid, { delta: 5 });

    const { status, body } = await act(uuid, { delta: -15 });

    expect(status).toBe(200);
    expect(body[field]).toBe(0);
  });

  test('touches neither balance nor lots of the other type', async () => {
    const { uuid } = await newResident(6);
    await actOnOther(uuid, { delta: 30, expiresAt: at(60) });
    await act(uuid, { delta: 10 });

    const { body } = await act(uuid, { delta: -10 });

    expect(body).toMatchObject({ [field]: 0, [other]: 30 });
    expect(await lots(uuid)).toEqual([['open', 30]]);
  });

  test('reaches exactly the credit limit, with and without lots', async () => {
    const { uuid } = await newResident(7);

    await act(uuid, { delta: 1, expiresAt: at(60) });
    const { status, body } = await act(uuid, { delta: limit - 1 });

    expect(status).toBe(200);
    expect(body[field]).toBe(limit);
  });

  test('leaves room for what a due lot held', async () => {
    const { uuid } = await newResident(8);
    await act(uuid, { delta: limit, expiresAt: at(10) });
    setClock(noon + 10_000);

    const { status, body } = await act(uuid, { delta: 5 });

    expect(status).toBe(200);
    expect(body[field]).toBe(5);
  });

  test.each([undefined, at(60)])(
    'still takes credit away above a limit that was lowered since (lot until %s)',
    async (expiresAt) => {
      const { uuid } = await newResident(expiresAt ? 9 : 10);
      await act(uuid, { delta: 1000, expiresAt });
      process.env.CREDIT_LIMIT = '500';

      const { status, body } = await act(uuid, { delta: -100 });
      delete process.env.CREDIT_LIMIT;

      expect(status).toBe(200);
      expect(body[field]).toBe(900);
    },
  );

  const deltaFault = 'delta must be a whole number from -2147483647 to 2147483647, but not 0.';
  test.each([
    [{ delta: 5, expiresAt: at(0) }, [futureFault]],
    [{ delta: 5, expiresAt: '2028-02-29T13:00:00+01:00' }, [futureFault]],
    [{ delta: -5, expiresAt: at(60) }, ['expiresAt must be left out when delta is negative.']],
    [{ delta: -16 }, ['delta must not remove more than the customer holds, which is 15.']],
    [{ delta: limit - 14 }, [`delta must not take the balance above the credit limit of ${limit}.`]],
    [{ delta: limit - 14, expiresAt: at(60) }, [`delta must not take the balance above the credit limit of ${limit}.`]],
    [{ delta: limit + 1 }, [`delta must be at most the credit limit of ${limit}.`]],
    [{ delta: 0 }, [deltaFault]],
    [{ delta: 0.5 }, [deltaFault]],
    [{ delta: '5' }, [deltaFault]],
    [{ delta: -(2 ** 31) }, [deltaFault]],
    [{}, [`delta is required: it ${deltaFault.slice('delta '.length)}`]],
    [
      { delta: 0, expiresAt: 'soon' },
      [deltaFault, 'expiresAt must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.'],
    ],
    ['null', ['The body must be a JSON object.']],
  ])('400s for the body %j and leaves the table byte for byte as it was', async (sent, errors) => {
    const { uuid } = await newResident(11);
    await set(uuid, { credit: 10, expiresAt: at(1) });
    await act(uuid, { delta: 5 });
    const before = await wholeTable();

    const { status, body } = await act(uuid, sent);

    expect(status).toBe(400);
    expect(body.errors).toEqual(errors);
    expect(await wholeTable()).toEqual(before);
  });

  test('400s for what only a due lot could give, and leaves the table byte for byte as it was', async () => {
    const { uuid } = await newResident(12);
    await act(uuid, { delta: 10, expiresAt: at(10) });
    await act(uuid, { delta: 5 });
    setClock(noon + 10_000);
    const before = await wholeTable();

    const { status, body } = await act(uuid, { delta: -6 });

    expect(status).toBe(400);
    expect(body.errors).toEqual(['delta must not remove more than the customer holds, which is 5.']);
    expect(await wholeTable()).toEqual(before);
  });

  test('400s for a resident who holds nothing, and does not make them a customer', async () => {
    const { uuid } = await newResident(13);
    const before = await wholeTable();

    const { status } = await act(uuid, { delta: -1 });

    expect(status).toBe(400);
    expect(await wholeTable()).toEqual(before);
  });
};
