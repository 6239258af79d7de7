import { now, timestamp } from '../../lib/clock.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import * as rows from '../../lib/routes/credit.ts';
import type { Route } from '../../lib/routes/route.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { balanceOf, givenTo, leastHeld } from './account.ts';
import { type Answer, send, sendOnce } from './client.ts';
import { lotAmount } from './unrepeated.ts';
import { type Action, compare, type World } from './world.ts';

/**
 * Actions on credit. All clients increment the credit of hot customers at once, with and without expiry. A client also
 * sets the credit of its own customers. Their regular lots expire during the run. Their restricted lots do not, so that
 * the client knows each answer exactly.
 */

const minute = 60_000;
const day = 1440 * minute;

const increments: Record<CreditType, Route> = {
  regular: rows.incrementCredit,
  restricted: rows.incrementRestrictedCredit,
};
const sets: Record<CreditType, Route> = { regular: rows.setCredit, restricted: rows.setRestrictedCredit };

const soon = ({ below }: World): string => timestamp(now() + 10 * minute + below(120 * minute));
const afterTheRun = ({ below }: World): string => timestamp(now() + 30 * day + below(30 * day));

/** An expiry may be past by the time that a request gets through. Otherwise it is no reason for a 400. */
const statusesOf = (expiresAt: string | undefined): number[] => (expiresAt === undefined ? [200] : [200, 400]);

/** This process's clock is the service's, or a moment ahead of it. */
const checkRefusal = ({ service }: World, what: string, { status, body }: Answer, expiresAt: string | undefined) => {
  if (status === 400 && expiresAt !== undefined && timestamp(now()) < expiresAt)
    service.ledger.fault(`${what} until ${expiresAt} was refused before that: ${body?.detail}`);
};

const add = async (world: World, { uuid, username }: Resident, type: CreditType, expiresAt?: string) => {
  const { service, below } = world;
  const { ledger } = service;
  const account = ledger.account(uuid, type);
  const delta = expiresAt === undefined ? 1 + below(500) : ledger.nextAmount(account);
  const identifier = below(2) === 0 ? uuid : username;
  const call = { params: { identifier }, body: { delta, expiresAt }, expect: statusesOf(expiresAt) };
  const answer = await send(service, increments[type], call);
  checkRefusal(world, `${delta} for ${username}`, answer, expiresAt);
  if (answer.status !== 200) return answer;
  account.added += delta;
  if (expiresAt !== undefined) account.lots.set(delta, { generation: account.generation, expiresAt });
  return answer;
};

/**
 * Takes credit. While others add and take, and lots expire, the client knows a balance only within bounds. The service
 * must not refuse a customer who certainly holds enough, and must refuse an own customer who cannot hold enough.
 */
const take = async ({ service, below }: World, { uuid, username }: Resident, type: CreditType, isOwn: boolean) => {
  const { ledger } = service;
  const account = ledger.account(uuid, type);
  const amount = 1 + below(400);
  const given = givenTo(account);
  const most = balanceOf(account);
  account.taking += amount;
  const call = { params: { identifier: uuid }, body: { delta: -amount }, expect: [200, 400] };
  const answer = await send(service, increments[type], call);
  account.taking -= amount;
  const least = leastHeld(account, given, timestamp(now()));
  if (!isOwn) ledger.hotTakes.answered += 1;
  if (!isOwn && least >= amount) ledger.hotTakes.covered += 1;
  if (answer.status === 200) account.taken += amount;
  if (answer.status === 400 && least >= amount)
    ledger.fault(`${amount} of ${username}, who held ${least} at least, were refused: ${answer.body?.detail}`);
  if (answer.status === 200 && isOwn && most < amount)
    ledger.fault(`${amount} were taken from ${username}, who held ${most} at most`);
  return answer;
};

const set = async (world: World, { uuid, username }: Resident, type: CreditType, expiresAt?: string) => {
  const { service, below } = world;
  const { ledger } = service;
  const account = ledger.account(uuid, type);
  const credit = expiresAt === undefined ? below(1000) : ledger.nextAmount(account);
  const call = { params: { identifier: uuid }, body: { credit, expiresAt }, expect: statusesOf(expiresAt) };
  const answer = await send(service, sets[type], call);
  checkRefusal(world, `a balance of ${credit} for ${username}`, answer, expiresAt);
  if (answer.status !== 200) return answer;
  const generation = account.generation + 1;
  Object.assign(account, { base: credit, added: 0, taken: 0, generation });
  if (expiresAt !== undefined) account.lots.set(credit, { generation, expiresAt });
  return answer;
};

/** Changes an own customer's credit. The client knows the restricted balance that must result. */
const changeOwn = async (world: World): Promise<void> => {
  const { below, pick, customers, service } = world;
  const customer = pick(customers) as Resident;
  const type = below(2) === 0 ? 'regular' : 'restricted';
  const expiresAt = below(2) === 0 ? undefined : type === 'regular' ? soon(world) : afterTheRun(world);
  const kind = below(10);
  const change =
    kind < 5 ? add(world, customer, type, expiresAt) : kind < 8 ? undefined : set(world, customer, type, expiresAt);
  const answer = await (change ?? take(world, customer, type, true));
  if (answer.status !== 200) return;
  service.ledger.changed('CUSTOMER', customer.uuid, {});
  const restrictedCredit = balanceOf(service.ledger.account(customer.uuid, 'restricted'));
  compare(world, `the credit of ${customer.username} after a change`, answer.body, {
    uuid: customer.uuid,
    restrictedCredit,
  });
};

const changeHot = async (world: World): Promise<void> => {
  const { below, pick, hot, service } = world;
  const customer = pick(hot) as Resident;
  const type = below(3) === 0 ? 'restricted' : 'regular';
  const expiresAt = below(2) === 0 ? undefined : soon(world);
  const isTaken = below(3) === 0;
  const answer = await (isTaken ? take(world, customer, type, false) : add(world, customer, type, expiresAt));
  if (answer.status === 200) service.ledger.changed('CUSTOMER', customer.uuid, {});
};

/** Increments without an Idempotency-Key. It does not retry, so a lost answer leaves the outcome unknown. */
const countOne = async ({ service, counted, below }: World): Promise<void> => {
  const { ledger } = service;
  const expiresAt = below(2) === 0 ? undefined : ledger.nextFarTime();
  const body = { delta: expiresAt === undefined ? 1 : lotAmount, expiresAt };
  const begun = performance.now();
  const { answer, arrived } = await sendOnce(service, rows.incrementCredit, {
    params: { identifier: counted.uuid },
    body,
  });
  const ended = performance.now();
  if (answer?.status === 200) ledger.unrepeated.push({ expiresAt, begun, ended, credit: answer.body.credit });
  else if (arrived && (!answer || answer.status === 500))
    ledger.unrepeated.push({ expiresAt, begun, ended, credit: undefined });
};

const readCredit = async (world: World): Promise<void> => {
  const { service, pick, customers } = world;
  const { uuid, username } = pick(customers) as Resident;
  const { body } = await send(service, rows.getCredit, { params: { identifier: username } });
  const restrictedCredit = balanceOf(service.ledger.account(uuid, 'restricted'));
  compare(world, `the credit of ${username}`, body, { uuid, username, restrictedCredit });
};

const readHotCredit = async ({ service, pick, hot }: World): Promise<void> => {
  await send(service, rows.getCredit, { params: { identifier: (pick(hot) as Resident).username } });
};

export const creditActions: readonly Action[] = [
  { weight: 9, run: changeOwn },
  { weight: 7, run: changeHot },
  { weight: 3, run: countOne },
  { weight: 6, run: readCredit },
  { weight: 4, run: readHotCredit },
];
