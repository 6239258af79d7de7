import { expect, test } from 'vitest';
import { startScript } from './script.ts';

/** The inworld script reads its notecard and registers. It runs as JavaScript: see script.ts. */

test.each([
  'https://example.org/prod',
  'https://example.org/prod/',
  'https://example.org/prod/v1',
  'https://example.org/prod/v1/',
  'HTTPS://example.org/prod//',
])('registers at %s, with or without a slash and /v1 at its end', (service) => {
  const { told, called, grant } = startScript('# ours', `service = ${service}`, 'key = sis_live_x');

  grant();

  expect(told).toEqual([]);
  expect(called.map((url) => url.toLowerCase())).toEqual(['https://example.org/prod/v1/dispenser']);
});

test('a notecard without a key or an address is told so', () => {
  for (const line of ['service = https://example.org', 'key = sis_live_x']) {
    const { told, called } = startScript(line);

    expect(told).toEqual(['Dispenser: the notecard lacks its line "service = ..." or "key = ...".']);
    expect(called).toEqual([]);
  }
});

test.each(['http://example.org', 'example.org', 'ftp://example.org'])(
  'sends its key nowhere without encryption: %s is refused, after a restart of the region too',
  (service) => {
    const { told, called, grant, restartRegion } = startScript(`service = ${service}`, 'key = sis_live_x');

    restartRegion();
    grant();

    expect(told).toEqual(['Dispenser: the address of the service must begin with https://.']);
    expect(called).toEqual([]);
  },
);
