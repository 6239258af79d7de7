import { expect, test } from 'vitest';
import { newResident } from './residents.ts';
import type { startTestService } from './service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

/**
 * Tests that an endpoint under `/v1/customers/{identifier}` takes names and UUIDs. `rest` is the path after the
 * identifier. The contract suite tests all spellings, and malformed and unknown ones. The fuzz test shows that a
 * refused request writes nothing.
 */
export const identifierCases = (service: () => Service, method: string, rest: string, body?: unknown): void => {
  const given = { uuid: 'abcdef00-0000-0000-0000-000000000900', username: 'spelt.tester' };
  const send = (identifier: string) =>
    service().call(method, `/v1/customers/${encodeURIComponent(identifier)}${rest}`, body);

  test.each(['Formerly Resident', given.username, 'ABCDEF00-0000-0000-0000-000000000900'])(
    '200s for one resident under the identifier "%s", with the current name',
    async (identifier) => {
      const { uuid, username } = await newResident(given, ['formerly']);

      const answer = await send(identifier);

      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ uuid, username });
    },
  );
};
