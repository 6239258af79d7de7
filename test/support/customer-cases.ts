import { expect, test } from 'vitest';
import { nilUuid } from '../../lib/identifier.ts';
import { newResident, unknownUuid } from './residents.ts';
import { type startTestService, wholeTable } from './service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

/**
 * The identifier cases of every endpoint under `/v1/customers/{identifier}`. `rest` is the path after the identifier.
 */
export const identifierCases = (service: () => Service, method: string, rest: string, body?: unknown): void => {
  const given = { uuid: 'abcdef00-0000-0000-0000-000000000900', username: 'resident900.tester' };
  const send = (identifier: string) =>
    service().call(method, `/v1/customers/${encodeURIComponent(identifier)}${rest}`, body);

  test.each([
    given.username,
    'Resident900 TESTER',
    ' resident900.Tester ',
    'former900',
    'Former900 Resident',
    given.uuid,
    'ABCDEF00-0000-0000-0000-000000000900',
  ])('200s for one resident under the identifier "%s", with the current name', async (identifier) => {
    const { uuid, username } = await newResident(given, ['former900']);

    const answer = await send(identifier);

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ uuid, username });
  });

  test.each(['three names here', 'under_score', `${'a'.repeat(32)}`, 'abcdef00-0000-0000-0000-00000000090', nilUuid])(
    '400s for the malformed identifier "%s" and writes nothing',
    async (identifier) => {
      const before = await wholeTable();

      const answer = await send(identifier);

      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveLength(1);
      expect(await wholeTable()).toEqual(before);
    },
  );

  test.each(['nobody.here', unknownUuid])(
    '404s for the unknown identifier "%s" and writes nothing',
    async (identifier) => {
      const before = await wholeTable();

      const answer = await send(identifier);

      expect(answer.status).toBe(404);
      expect(answer.body).not.toHaveProperty('errors');
      expect(await wholeTable()).toEqual(before);
    },
  );
};
