import { expect, test } from 'vitest';
import { listLots } from '../../../lib/credit/lots.ts';
import { auditTable } from '../../../lib/operator/audit-credit.ts';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, wholeTable } from '../../support/service.ts';
import { at, futureFault, limit, noon, remarkFaults, setUp, type Target } from './credit-actions.ts';

export const incrementCases = (target: Target): void => {
  const { field } = target;
  const { service, act, set, lots, endings } = setUp(target);

  identifierCases(service, 'POST', `/actions/${target.action}`, { delta: 5 });

  test('adds one lot with expiresAt, none without, and closes none', async () => {
    const { uuid } = await newResident();

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

  test('drains the lots that expire first, and unlotted credit last', async () => {
    const { uuid } = await newResident();
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
    const { uuid } = await newResident();
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

  test.each([undefined, at(60)])(
    'still removes credit above a limit that was lowered since (lot until %s)',
    async (expiresAt) => {
      const { uuid } = await newResident();
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
    [{ delta: -(2 ** 31) }, [deltaFault]],
    [{}, [`delta is required: it ${deltaFault.slice('delta '.length)}`]],
    [
      { delta: 0, expiresAt: 'soon' },
      [deltaFault, 'expiresAt must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.'],
    ],
    [{ delta: 0, expiresAt: at(-1) }, [deltaFault, futureFault]],
    [{ delta: -5, expiresAt: at(-1) }, ['expiresAt must be left out when delta is negative.']],
    [
      { delta: limit + 1, expiresAt: 'soon' },
      [
        'expiresAt must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.',
        `delta must be at most the credit limit of ${limit}.`,
      ],
    ],
    [{ delta: 5, reason: 'x'.repeat(201), reference: 'x'.repeat(101) }, remarkFaults],
    [{ delta: 5, reason: 'a\u0007', reference: 'a\nb' }, remarkFaults],
    [
      { delta: 5, reason: null, reference: 7 },
      remarkFaults.map((text, n) => (n === 0 ? text.replace(/\.$/, ', not null: leave it out.') : text)),
    ],
    ['null', ['The body must be a JSON object.']],
  ])('400s for the body %j and leaves the table byte for byte as it was', async (sent, errors) => {
    const { uuid } = await newResident();
    await set(uuid, { credit: 10, expiresAt: at(1) });
    await act(uuid, { delta: 5 });
    const before = await wholeTable();

    const { status, body } = await act(uuid, sent);

    expect(status).toBe(400);
    expect(body.errors).toEqual(errors);
    expect(await wholeTable()).toEqual(before);
  });

  test('400s for credit that only a due lot holds, and leaves the table byte for byte as it was', async () => {
    const { uuid } = await newResident();
    await act(uuid, { delta: 10, expiresAt: at(10) });
    await act(uuid, { delta: 5 });
    setClock(noon + 10_000);
    const before = await wholeTable();

    const { status, body } = await act(uuid, { delta: -6 });

    expect(status).toBe(400);
    expect(body.errors).toEqual(['delta must not remove more than the customer holds, which is 5.']);
    expect(await wholeTable()).toEqual(before);
  });
};
