import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { sweepAccess } from '../../../infra/permissions.ts';
import { lookUpTime } from '../../../lib/avatars/resident-lookup.ts';
import { forgetResidents, type Resident, type StoredResident } from '../../../lib/avatars/residents.ts';
import { source } from '../../../lib/clock.ts';
import { sweep } from '../../../lib/credit/sweep.ts';
import { dispenserKey, findDispenser, loseAddress } from '../../../lib/delivery/dispensers.ts';
import { putResident, residentItems } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { residentKey } from '../../../lib/table/keys.ts';
import { get, removeMany, transact } from '../../../lib/table/table.ts';
import { avatarAt } from '../../../local/grid/grid.ts';
import { asFunction } from '../../support/access.ts';
import { atEnd } from '../../support/at-end.ts';
import { ofGrid, placeDispenser, type Respond, saying, startTestLookUps } from '../../support/look-ups.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

/** The names of avatars: who may tell them, whom they lead to, and their copies in the items of stores. */

const service = await startTestService();
await startTestLookUps();
// On a busy machine a look-up may take longer than a request waits for it. The request then has no answer.
const { millis } = lookUpTime;
lookUpTime.millis = 30_000;
atEnd(() => void Object.assign(lookUpTime, { millis }));

beforeEach(async () => {
  source.now = () => Date.now();
  // Of a dispenser that a test has placed the next one knows nothing.
  await removeMany([dispenserKey(service.store)]);
  forgetResidents();
});

let made = 0;
/** An avatar whom nobody was told of. */
const stranger = (): Resident => {
  made += 1;
  return { uuid: randomUUID(), username: `stranger${made}.walker` };
};

const tell = ({ uuid, username }: Resident, call = service.call) => call('PUT', `/v1/residents/${uuid}`, { username });

const customer = async (who: string, call = service.call) => (await call('GET', `/v1/customers/${who}`)).body;

const runSweep = () => asFunction('expiry-sweep', sweepAccess, async () => (await sweep('sweep')).report);

describe('a name that a key tells of an avatar, where the store has a dispenser', () => {
  const newStore = async (...respond: Respond[]) => {
    const { id } = await createStore('Asking');
    const dispenser = await placeDispenser(id, ...respond);
    return { id, dispenser, call: service.callAs(await service.keyWith(scopes, id)) };
  };
  const nameless = ({ uuid }: Resident) => ({ uuid, username: uuid, names: [], source: 'store' });
  let place = 500_000;
  const fromGrid = () => avatarAt(place++);

  test('is the one that the dispenser answers, not that of the request, and leads to no other avatar', async () => {
    const { call, dispenser } = await newStore();
    const [thief, victim] = [fromGrid(), fromGrid()];

    const told = await tell({ uuid: thief.uuid, username: victim.username }, call);
    const given = await call('POST', `/v1/customers/${victim.username}/actions/increment-credit`, { delta: 500 });

    expect([told.status, told.body]).toEqual([200, { ...thief, names: [thief.username], source: 'store' }]);
    expect(given.body).toMatchObject({ ...victim, credit: 500 });
    expect(dispenser.asked).toEqual([thief.uuid, victim.username]);
    expect(told.cost).toMatchObject({ steps: 3, units: 9 });
  });

  test('is asked for only where the store has not met it, and the avatar is not the operator’s', async () => {
    const { call, dispenser } = await newStore();
    const [avatar, other, known] = [fromGrid(), fromGrid(), await newResident()];

    await tell(avatar, call);
    const again = await tell(avatar, call);
    const taken = await tell({ uuid: other.uuid, username: avatar.username }, call);
    const ofOperator = await tell({ uuid: known.uuid, username: 'free.name' }, call);
    const operators = await tell({ uuid: other.uuid, username: known.username }, call);

    expect(again.body).toEqual({ ...avatar, names: [avatar.username], source: 'store' });
    expect(taken.body).toEqual(nameless(other));
    expect(ofOperator.body).toMatchObject({ username: known.username, source: 'operator' });
    expect(operators.status).toBe(400);
    expect(dispenser.asked).toEqual([avatar.uuid]);
  });

  test('is refused with 400 where the avatar is nobody, and nothing is written', async () => {
    const { id, call } = await newStore(saying('-'));
    const avatar = stranger();

    const { status, body } = await tell(avatar, call);

    expect([status, body.errors]).toEqual([400, ['uuid names a resident who does not exist.']]);
    expect(await wholeTable(`${id}#STORE_`)).toEqual([]);
  });

  test.each<[string, Respond]>([
    ['gives no answer', (_, response) => void response.destroy()],
    ['fails', saying('', 500)],
    ['answers another form', saying('hello')],
    ['answers for another avatar', saying(`${randomUUID()} other.walker`)],
  ])(
    'is not taken where the dispenser %s: the avatar is known without it, and once it answers by it',
    async (_, respond) => {
      const { call, dispenser } = await newStore(respond);
      const avatar = fromGrid();

      const first = await tell({ uuid: avatar.uuid, username: 'wanted.name' }, call);
      dispenser.answer(ofGrid);
      const second = await tell({ uuid: avatar.uuid, username: 'wanted.name' }, call);

      expect([first.status, first.body]).toEqual([200, nameless(avatar)]);
      expect(second.body).toEqual({ ...avatar, names: [avatar.username], source: 'store' });
    },
  );

  test('is not taken where the dispenser calls the avatar by a name that is another’s', async () => {
    const known = await newResident();
    const avatar = fromGrid();
    const { call } = await newStore((name, response) => response.end(`${name} ${known.username}`));

    expect((await tell(avatar, call)).body).toEqual(nameless(avatar));
  });

  test('is not taken beyond the look-ups of a minute', async () => {
    const at = Math.ceil(Date.now() / 60_000) * 60_000;
    source.now = () => at;
    const { call, dispenser } = await newStore();
    for (let count = 0; count < 60; count++) await tell(fromGrid(), call);
    const avatar = fromGrid();

    const beyond = await tell(avatar, call);
    source.now = () => at + 60_000;
    const later = await tell(avatar, call);

    expect([dispenser.asked.length, beyond.status, beyond.body]).toEqual([61, 200, nameless(avatar)]);
    expect(later.body.names).toEqual([avatar.username]);
  });

  test('is believed where the dispenser is too old to be asked, and not where it was lost', async () => {
    const [old, lost] = [await newStore(saying('unknown protocol', 400)), await newStore()];
    const { url = '' } = (await findDispenser(lost.id)) ?? {};
    await loseAddress(lost.id, url, 'gone');
    const avatar = stranger();

    const believed = await tell(avatar, old.call);
    const again = await tell({ ...avatar, username: 'another.name' }, old.call);

    expect(believed.body).toEqual({ ...avatar, names: [avatar.username], source: 'store' });
    expect(again.body.names).toEqual(['another.name', avatar.username]);
    expect(old.dispenser.asked).toHaveLength(1);
    expect((await tell(avatar, lost.call)).body).toEqual(nameless(avatar));
  });
});

describe('PUT /v1/residents/{uuid}', () => {
  test('makes an avatar known to this store alone, by UUID and by every name that was told', async () => {
    const { uuid, username } = stranger();

    const first = await tell({ uuid, username: username.toUpperCase().replace('.', ' ') });
    const renamed = await tell({ uuid, username: `new.${username.split('.')[0]}` });

    const current = `new.${username.split('.')[0]}`;
    expect(first).toMatchObject({ status: 200, body: { uuid, username, names: [username], source: 'store' } });
    expect(renamed.body).toEqual({ uuid, username: current, names: [current, username], source: 'store' });
    for (const who of [uuid, username, current]) expect(await customer(who)).toMatchObject({ uuid, username: current });
    for (const who of [uuid, username]) expect(await customer(who, service.callOther)).toMatchObject({ status: 404 });
    expect((await service.call('GET', '/v1/customers')).body.data.map((row: Resident) => row.uuid)).not.toContain(uuid);
  });

  test('answers a resident of the operator as known, and changes nothing', async () => {
    const known = await newResident({}, ['was.known']);

    const { status, body } = await tell({ uuid: known.uuid, username: 'quite.another' });

    expect(status).toBe(200);
    expect(body).toEqual({ ...known, names: [known.username, 'was.known'], source: 'operator' });
    expect(await customer('quite.another')).toMatchObject({ status: 404 });
  });

  test('400s for a name that is another resident’s for the operator', async () => {
    const known = await newResident({}, ['old.known']);
    const { uuid } = stranger();

    const answers = [await tell({ uuid, username: known.username }), await tell({ uuid, username: 'old.known' })];

    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(await customer(uuid)).toMatchObject({ status: 404 });
  });

  test('leaves a name to the avatar that has it in the store; the newcomer is called by the UUID', async () => {
    const [holder, newcomer] = [stranger(), stranger()];
    await tell(holder);

    const { status, body } = await tell({ uuid: newcomer.uuid, username: holder.username });

    expect(status).toBe(200);
    expect(body).toEqual({ uuid: newcomer.uuid, username: newcomer.uuid, names: [], source: 'store' });
    expect(await customer(holder.username)).toMatchObject({ uuid: holder.uuid });
    const given = await service.call('POST', `/v1/customers/${newcomer.uuid}/actions/increment-credit`, { delta: 1 });
    expect(given.body).toMatchObject({ uuid: newcomer.uuid, username: newcomer.uuid, credit: 1 });
    // A name of its own replaces the UUID, also where it was written.
    await tell(newcomer);
    await runSweep();
    expect(await customer(newcomer.uuid)).toMatchObject({ username: newcomer.username, credit: 1 });
  });

  test('gives a name that many tell at once to one avatar', async () => {
    const { username } = stranger();
    const uuids = Array.from({ length: 8 }, () => randomUUID());

    const answers = await Promise.all(uuids.map((uuid) => tell({ uuid, username })));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const winners = answers.filter(({ body }) => body.username === username);
    expect(winners).toHaveLength(1);
    expect(await customer(username)).toMatchObject({ uuid: winners[0]?.body.uuid });
  });

  test.each([
    ['a UUID', randomUUID()],
    ['three words', 'a b c'],
    ['nothing', ''],
  ])('400s for %s as a name, and for the nil UUID', async (_, username) => {
    expect((await tell({ uuid: randomUUID(), username })).status).toBe(400);
    expect((await tell({ uuid: '00000000-0000-0000-0000-000000000000', username: 'fine' })).status).toBe(400);
  });

  test('400s for the 51st name of one avatar', async () => {
    const { uuid } = stranger();
    for (let i = 1; i <= 50; i++) expect((await tell({ uuid, username: `many${i}.${made}` })).status).toBe(200);

    expect((await tell({ uuid, username: `many51.${made}` })).status).toBe(400);
    expect((await tell({ uuid, username: `many3.${made}` })).body.names).toHaveLength(50);
  });
});

describe('the operator’s word', () => {
  test('wins over what a store was told of a name, at once for writes', async () => {
    const told = stranger();
    await tell(told);
    await customer(told.username);
    const right = { uuid: randomUUID(), username: told.username };

    await transact(residentItems(right, [right.username], undefined));

    const given = await service.call('POST', `/v1/customers/${told.username}/actions/increment-credit`, { delta: 7 });
    expect(given.body).toMatchObject({ uuid: right.uuid, credit: 7 });
    forgetResidents();
    expect(await customer(told.uuid)).toMatchObject({ uuid: told.uuid, username: told.uuid, credit: 0 });
  });
});

describe('a name that passed to another avatar', () => {
  test('leads to the new one on every write, whatever a process remembers', async () => {
    const [old, next] = [await newResident(), await newResident()];
    await customer(old.username);
    const [gone, name] = [`gone${made}.away`, old.username];
    const storedOld = await get<StoredResident>(residentKey(old.uuid));
    const storedNext = await get<StoredResident>(residentKey(next.uuid));
    // As another process does it, so that this one continues with what it remembers.
    await transact(residentItems({ uuid: old.uuid, username: gone }, [gone], storedOld));
    await transact(residentItems({ uuid: next.uuid, username: name }, [name], storedNext, { takenFrom: old.uuid }));

    const path = `/v1/customers/${name}/actions`;
    const answers = [
      await service.call('POST', `${path}/increment-credit`, { delta: 3 }),
      await service.call('POST', `${path}/set-restricted-credit`, { credit: 3 }),
      await service.call('POST', `${path}/grant-gift-card`, { credit: 3 }),
      await service.call('POST', `${path}/ban`),
      await service.call('PUT', `/v1/customers/${name}`, { discount: 5 }),
      await service.call('POST', '/v1/coupons', { code: `Moved ${name}`, ownerIdentifier: name }),
    ];

    expect(answers.map(({ body }) => body.uuid ?? body.ownerUuid ?? body.couponOwnerUuid)).toEqual(
      answers.map(() => next.uuid),
    );
    expect(await customer(old.uuid)).toMatchObject({ credit: 0, isBanned: false, discount: 0 });
  });
});

describe('a copy of a name', () => {
  /** A customer, coupon and card whose copies hold the old name, since another process still remembered it. */
  const staleCopies = async () => {
    const resident = await newResident();
    await customer(resident.uuid);
    const stored = await get<StoredResident>(residentKey(resident.uuid));
    const username = `renamed${made}.${resident.uuid.slice(-4)}`;
    await transact(
      residentItems({ uuid: resident.uuid, username }, [username, resident.username], stored, { isRenamed: true }),
    );
    await runSweep();
    await service.call('PUT', `/v1/customers/${resident.uuid}`, { discount: 5 });
    const coupon = await service.call('POST', '/v1/coupons', { code: username, ownerIdentifier: resident.uuid });
    const card = await service.call('POST', `/v1/customers/${resident.uuid}/actions/grant-gift-card`, { credit: 5 });
    expect([coupon.body.couponOwnerUsername, card.body.ownerUsername]).toEqual([resident.username, resident.username]);
    return { ...resident, renamed: username, coupon: coupon.body.id, card: card.body.id };
  };

  test('that was written in the minutes of a rename is mended by the sweep after them', async () => {
    const { uuid, renamed, coupon, card } = await staleCopies();

    const later = Date.now() + 7 * 60_000;
    source.now = () => later;
    const swept = await runSweep();

    expect(swept).toMatchObject({ failed: 0, finished: true });
    expect(swept.renamed).toBeGreaterThan(0);
    expect(await customer(uuid)).toMatchObject({ username: renamed });
    expect((await service.call('GET', `/v1/coupons/${coupon}`)).body.couponOwnerUsername).toBe(renamed);
    expect((await service.call('GET', `/v1/giftcards/${card}`)).body.ownerUsername).toBe(renamed);
    expect(await runSweep()).toMatchObject({ renamed: 0 });
  });

  test('follows a rename that the dispenser told, with the next sweep', async () => {
    const { uuid, username } = stranger();
    const dispenser = await placeDispenser(service.store, saying(`${uuid} ${username}`));
    await service.call('POST', `/v1/customers/${username}/actions/increment-credit`, { delta: 5 });
    const renamed = `later.${username.split('.')[0]}`;
    dispenser.answer(saying(`${uuid} ${renamed}`));

    const again = await service.call('POST', `/v1/customers/${renamed}/actions/increment-credit`, { delta: 5 });
    await runSweep();

    expect(again.body).toMatchObject({ uuid, credit: 10 });
    expect(await customer(uuid)).toMatchObject({ username: renamed, credit: 10 });
    expect(await customer(username)).toMatchObject({ uuid });
  });
});

test('the dispenser leads to a resident of the operator under a new name, and changes nothing else', async () => {
  const known = await newResident();
  const renamed = `inworld${made}.renamed`;
  await placeDispenser(service.store, saying(`${known.uuid} ${renamed}`));

  expect(await customer(renamed)).toMatchObject(known);

  expect(await customer(known.uuid)).toMatchObject(known);
  const told = await tell(known);
  expect(told.body).toEqual({ ...known, names: [known.username, renamed], source: 'operator' });
  expect(await customer(renamed, service.callOther)).toMatchObject({ status: 404 });
});

test('a customer who was made by a sale to a UUID that nobody could name has their name once it is told', async () => {
  const { uuid, username } = stranger();
  const product = await service.call('POST', '/v1/products', { name: 'Lamp', price: 5 });
  const sale = { id: randomUUID(), productId: product.body.id, buyerIdentifier: uuid, paid: 5 };
  await service.call('POST', '/v1/sales', sale);
  const before = await customer(uuid);

  await tell({ uuid, username });
  await runSweep();

  expect(before).toMatchObject({ username: uuid });
  expect(await customer(uuid)).toMatchObject({ username });
});

test('putResident marks a renamed resident’s copies too', async () => {
  const resident = await newResident();
  await service.call('PUT', `/v1/customers/${resident.uuid}`, { discount: 5 });

  await putResident({ ...resident, username: `put${made}.again` });
  await runSweep();

  expect(await customer(resident.uuid)).toMatchObject({ username: `put${made}.again` });
});
