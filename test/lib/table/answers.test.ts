import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import { answerLookUp, parseAvatar } from '../../../lib/delivery/lookup.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { codePoints } from '../../support/code-points.ts';
import { placeDispenser, startTestLookUps } from '../../support/look-ups.ts';
import { ada, bob, seedResidents } from '../../support/residents.ts';
import { freshTable } from '../../support/service.ts';
import { trials } from '../../support/volume.ts';

/** Any text as a dispenser's answer to a look-up, read a second time by other rules. */

await freshTable();
await startTestLookUps();
await seedResidents();

const asked = { uuid: randomUUID(), username: 'mira.vale' };
const part = fc.constantFrom(
  asked.uuid,
  asked.username,
  'Mira Vale',
  ada.uuid,
  bob.username,
  ' ',
  '\n',
  '-',
  '\0',
  'é',
);
const anything = fc.oneof(
  fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
  fc.string({ unit: codePoints, maxLength: 80 }),
  fc.constantFrom(`${asked.uuid} ${asked.username}`, `${asked.uuid.toUpperCase()} MIRA.VALE`),
);
/** A second way to read an answer: `uuid name`, in which the part that was asked for must be right. */
const named = (text: string, index: number) => {
  const [, uuid = '', name = ''] =
    /^([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}) ([a-z\d]+(?:\.[a-z\d]+)?)$/i.exec(text) ?? [];
  if (uuid === '' || name.split('.').some((half) => half.length > 31)) return undefined;
  const avatar = { uuid: uuid.toLowerCase(), username: name.toLowerCase() };
  return (index % 2 === 0 ? avatar.uuid === asked.uuid : avatar.username === asked.username) ? avatar : undefined;
};
const byEither = (index: number) => (index % 2 === 0 ? { uuid: asked.uuid } : { username: asked.username });
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

test(`an answer of the dispenser is understood only where it names the avatar who was asked for (SEED=${seed})`, () => {
  const found = fc.sample(anything, { seed, numRuns: 10_000 }).map((text, index) => {
    const avatar = parseAvatar(text, byEither(index));
    expect(avatar, JSON.stringify(text)).toEqual(named(text, index));
    return avatar;
  });

  expect(found.filter((avatar) => avatar).length).toBeGreaterThan(100);
});

test(`a dispenser that answers anything leads to nobody but the avatar who was asked for (SEED=${seed})`, async () => {
  const { id } = await createStore('Test store');
  const dispenser = await placeDispenser(id);
  let at = Date.now();
  source.now = () => at;
  for (const [index, text] of fc.sample(anything, { seed, numRuns: trials(50, 300) }).entries()) {
    // Each in a minute of its own.
    at += 60_000;
    dispenser.answer((_, response) => response.end(text));
    const said = await answerLookUp({ store: id, identifier: byEither(index), isRead: false, millis: 3000 });
    // A name that the operator has for another resident, and the operator's name of a resident, stay.
    const right = named(text, index);
    if (!right || right.username === bob.username) expect(said.resident, JSON.stringify(text)).toBeUndefined();
    else expect(said.resident?.uuid, JSON.stringify(text)).toBe(right.uuid);
  }
  source.now = () => Date.now();
});
