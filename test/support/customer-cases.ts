import { expect, test } from 'vitest';
import { putResident } from '../../lib/store/residents.ts';
import { type startTestService, wholeTable } from './service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

/** A resident for each test, so that tests do not see each other's customers. */
export const newResident = async (number: number, formerNames: string[] = []) => {
  const resident = {
    uuid: `abcdef00-0000-0000-0000-${String(number).padStart(12, '0')}`,
    username: `resident${number}.tester`,
  };
  await putResident(resident, formerNames);
  return resident;
};

/** What every endpoint under `/v1/customers/{identifier}` must do with the identifier. `rest` is the path after it. */
export const identifierCases = (service: () => Service, method: string, rest: string, body?: unknown): void => {
  const send = (identifier: string) =>
    service().call(method, `/v1/customers/${encodeURIComponent(identifier)}${rest}`, body);

  test.each([
    'resident900.tester',
    'Resident900 TESTER',
    ' resident900.Tester ',
    'former900',
    'Former900 Resident',
    'abcdef00-0000-0000-0000-000000000900',
    'ABCDEF00-0000-0000-0000-000000000900',
  ])('200s for one resident under the identifier "%s", with the current name', async (identifier) => {
    const { uuid, username } = await newResident(900, ['former900']);

    const answer = await send(identifier);

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ uuid, username });
  });

  test.each([
    'three names here',
    'under_score',
    `${'a'.repeat(32)}`,
    'abcdef00-0000-0000-0000-00000000090',
    '00000000-0000-0000-0000-000000000000',
  ])('400s for the malformed identifier "%s" and writes nothing', async (identifier) => {
    const before = await wholeTable();

    const answer = await send(identifier);

    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
    expect(await wholeTable()).toEqual(before);
  });

  test.each(['nobody.here', 'abcdef00-0000-0000-0000-999999999999'])(
    '404s for "%s", which is nobody, and writes nothing',
    async (identifier) => {
      const before = await wholeTable();

      const answer = await send(identifier);

      expect(answer.status).toBe(404);
      expect(answer.body).not.toHaveProperty('errors');
      expect(await wholeTable()).toEqual(before);
    },
  );
};
