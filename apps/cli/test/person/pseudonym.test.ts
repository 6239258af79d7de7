import { beforeEach, expect, test } from 'vitest';
import { intercept } from '../../../../test/support/faults.ts';
import { ada } from '../../../../test/support/residents.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { pseudonymOf } from '../../person/pseudonym.ts';

beforeEach(() => freshTable());

test('an avatar has the same pseudonym each time, though no answer comes from the first write', async () => {
  const first = await pseudonymOf(ada.uuid);
  let isLost = false;
  const stop = intercept(async ({ operation }, send) => {
    if (operation !== 'PutItem' || isLost) return send();
    isLost = true;
    throw new Error('No answer came.');
  });

  const second = await pseudonymOf(ada.uuid);
  stop();

  expect(isLost).toBe(true);
  expect(second).toBe(first);
});
