import { beforeAll } from 'vitest';
import { source, timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import type { CreditCommand } from '../../../lib/credit/rules.ts';
import { setClock, startTestService } from '../../support/service.ts';

/**
 * Credit on a failing table: no acknowledged change is lost, no change is made twice, and 503 means that none was made.
 */

const start = Date.parse('2028-02-29T12:00:00.000Z');
export const inSeconds = (seconds: number) => timestamp(start + 1000 * seconds);

/** True for calls about credit, and false for the authorizer's calls. */
export const isCredit = (input: unknown) => /#(CUSTOMER|LOT)/.test(JSON.stringify(input));

/** A service whose clock stands still, and which retries without a pause. */
export const startFaulty = () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    setClock(start);
    service = await startTestService();
    source.random = () => 0;
  });

  return {
    store: () => service.store,
    change: (uuid: string, command: CreditCommand) =>
      changeCredit(service.store, { uuid }, 'regular', command, { by: 'test' }),
    post: (uuid: string, action: string, body: object, headers = {}) =>
      service.call('POST', `/v1/customers/${uuid}/actions/${action}`, body, headers),
  };
};
