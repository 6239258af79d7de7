import { beforeAll, beforeEach } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import { setClock, startTestService } from '../../support/service.ts';

/** The four credit actions. The actions of the two types differ only in their balance and lots. */

export interface Target {
  action: string;
  field: 'credit' | 'restrictedCredit';
}

export const noon = Date.parse('2028-02-29T12:00:00.000Z');
export const at = (seconds: number) => timestamp(noon + 1000 * seconds);
export const limit = 1_000_000_000;

export const futureFault = 'expiresAt must be in the future.';

export const remarkFaults = [
  'reason must be text of at most 200 characters without control characters.',
  'reference must be text of at most 100 characters without control characters.',
];

export const setUp = ({ action, field }: Target) => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const actionsOf = (uuid: string) => `/v1/customers/${uuid}/actions`;
  beforeAll(async () => {
    setClock(noon);
    service = await startTestService();
  });
  beforeEach(() => setClock(noon));

  return {
    service: () => service,
    act: (uuid: string, body: unknown) => service.call('POST', `${actionsOf(uuid)}/${action}`, body),
    set: (uuid: string, body: unknown) =>
      service.call('POST', `${actionsOf(uuid)}/set-${field === 'credit' ? 'credit' : 'restricted-credit'}`, body),
    /** The lots of a customer as [state, remaining], in the order of their expiry. */
    lots: async (uuid: string) =>
      (await listLots(service.store, uuid))
        .sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
        .map(({ state, remaining }) => [state, remaining]),
    /** The time and the request that closed each lot of a customer, in the order of their expiry. */
    endings: async (uuid: string) =>
      (await listLots(service.store, uuid))
        .sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
        .map(({ endedAt, endedBy }) => [endedAt, endedBy]),
  };
};
