import { expect, test } from 'vitest';
import { auditTable } from '../../../lib/operator/audit-credit.ts';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, wholeTable } from '../../support/service.ts';
import { at, futureFault, limit, noon, remarkFaults, setUp, type Target } from './credit-actions.ts';

export const setCases = (target: Target): void => {
  const { field } = target;
  const { service, act, lots, endings } = setUp(target);

  identifierCases(service, 'POST', `/actions/${target.action}`, { credit: 5 });

  test('makes one lot of the whole balance if it expires, and none if it does not or is 0', async () => {
    const { uuid } = await newResident();

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

  test('supersedes the open lots of this type, expires the due ones, and keeps their remainder, time and request of closing', async () => {
    const { uuid } = await newResident();
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

  test.each([
    [{ credit: 5, expiresAt: at(0) }, [futureFault]],
    [{ credit: 5, expiresAt: at(-1) }, [futureFault]],
    [{ credit: 0, expiresAt: at(-1) }, [futureFault]],
    [{ credit: 5, expiresAt: '2028-02-29T13:00:00+01:00' }, [futureFault]],
    [{ credit: limit + 1 }, [`credit must be at most the credit limit of ${limit}.`]],
    [{ credit: limit + 1, expiresAt: at(0) }, [futureFault, `credit must be at most the credit limit of ${limit}.`]],
    [{ credit: -1 }, ['credit must be a whole number from 0 to 2147483647.']],
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
    [{ credit: -1, expiresAt: at(0) }, ['credit must be a whole number from 0 to 2147483647.', futureFault]],
    [
      { credit: 2 ** 31, expiresAt: '2028-02-29T13:00:00+01:00' },
      ['credit must be a whole number from 0 to 2147483647.', futureFault],
    ],
    [
      { credit: limit + 1, expiresAt: 'tomorrow' },
      [
        'expiresAt must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.',
        `credit must be at most the credit limit of ${limit}.`,
      ],
    ],
    [{ credit: 5, reason: 'x'.repeat(201), reference: 'x'.repeat(101) }, remarkFaults],
    [{ credit: 5, reason: 'a\u0007', reference: 'a\nb' }, remarkFaults],
    [
      { credit: 5, reason: null, reference: 7 },
      remarkFaults.map((text, n) => (n === 0 ? text.replace(/\.$/, ', not null: leave it out.') : text)),
    ],
    ['[5]', ['The body must be a JSON object.']],
  ])('400s for the body %j and leaves the table byte for byte as it was', async (sent, errors) => {
    const { uuid } = await newResident();
    await act(uuid, { credit: 10, expiresAt: at(1) });
    const before = await wholeTable();

    const { status, body } = await act(uuid, sent);

    expect(status).toBe(400);
    expect(body.errors).toEqual(errors);
    expect(await wholeTable()).toEqual(before);
  });

  test('400s with the faults of the path, the clock and the credit limit in one answer', async () => {
    const { status, body } = await act('a-b', { credit: limit + 1, expiresAt: at(0) });

    expect(status).toBe(400);
    expect(body.errors).toEqual([
      'identifier must be a username (first, first.last or first last) or an avatar UUID.',
      futureFault,
      `credit must be at most the credit limit of ${limit}.`,
    ]);
  });

  test('a repeat with its Idempotency-Key gets the first answer after expiresAt has passed', async () => {
    const { uuid } = await newResident();
    const repeat = () =>
      service().call(
        'POST',
        `/v1/customers/${uuid}/actions/${target.action}`,
        { credit: 5, expiresAt: at(1) },
        { 'Idempotency-Key': 'once' },
      );
    const first = await repeat();
    setClock(noon + 2000);

    const second = await repeat();

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
  });
};
