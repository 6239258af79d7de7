import type { Resident } from '../../../lib/avatars/residents.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import type { CreditType } from '../../../lib/credit/rules.ts';
import * as rows from '../../../lib/routes/credit.ts';
import type { Route } from '../../../lib/routes/route.ts';
import { balanceOf, type ModelCommand } from '../../../test/support/model/credit.ts';
import { type Action, compare, type World } from '../action.ts';
import type { AskedChange } from '../book.ts';
import { isUndone, send, sendOnce } from '../client.ts';

/**
 * Actions on credit. All clients change the credit of hot customers at the same time, and each client changes its own
 * customers' credit. Lots expire during the run. The book has each change with its answer. History has the order of all
 * changes.
 */

const minute = 60_000;

const rowsOf: Record<ModelCommand['kind'], Record<CreditType, Route>> = {
  increment: { regular: rows.incrementCredit, restricted: rows.incrementRestrictedCredit },
  set: { regular: rows.setCredit, restricted: rows.setRestrictedCredit },
};

const asked = ({ unique, below }: World, { uuid, username }: Resident, command: ModelCommand) => {
  const reference = unique('credit');
  return { reference, call: { params: { identifier: below(2) ? uuid : username }, body: { ...command, reference } } };
};

/** Changes credit, and notes it in the book. */
const changeCredit = async (world: World, resident: Resident, type: CreditType, command: ModelCommand) => {
  const { book } = world.service;
  const { reference: key, call } = asked(world, resident, command);
  const end = book.begin();
  const { status, body } = await send(world.service, rowsOf[command.kind][type], { ...call, expect: [200, 400] });
  const outcome = status === 200 ? 'done' : 'refused';
  const { uuid } = resident;
  book.credit.push({ ...{ uuid, type, key, command, outcome, ...end() }, ...(outcome === 'done' && { answer: body }) });
  if (outcome === 'refused') return;
  book.changed('CUSTOMER', uuid, {});
  compare(world, `the credit of ${uuid} after a change`, body, { uuid });
};

/** Half of all lots and sets end within two hours. */
const someExpiry = ({ below }: World): string | undefined =>
  below(2) === 0 ? undefined : timestamp(now() + 10 * minute + below(120 * minute));

const someCommand = (world: World, sets: number): ModelCommand => {
  const { below } = world;
  const [kind, expiresAt] = [below(10), someExpiry(world)];
  if (kind < sets) return { kind: 'set', credit: below(1000), expiresAt };
  if (kind < 7) return { kind: 'increment', delta: 1 + below(500), expiresAt };
  return { kind: 'increment', delta: -1 - below(400) };
};

const someType = ({ below }: World): CreditType => (below(5) < 3 ? 'regular' : 'restricted');

const changeOwn = (world: World): Promise<void> =>
  changeCredit(world, world.pick(world.customers) as Resident, someType(world), someCommand(world, 2));

const changeHot = (world: World): Promise<void> =>
  changeCredit(world, world.pick(world.hot) as Resident, someType(world), someCommand(world, 0));

/** Increments without an Idempotency-Key. It does not retry, so a lost answer leaves the outcome unknown. */
const incrementOnce = async (world: World): Promise<void> => {
  const { service, counted, below } = world;
  const { book } = service;
  const expiresAt = below(2) === 0 ? undefined : book.nextFarTime();
  const command: ModelCommand = { kind: 'increment', delta: 1 + below(9), expiresAt };
  const { reference: key, call } = asked(world, counted, command);
  const end = book.begin();
  const { answer, arrived } = await sendOnce(service, rows.incrementCredit, call);
  const change = { uuid: counted.uuid, type: 'regular' as const, key, command };
  if (answer?.status === 200) book.credit.push({ ...change, ...end(), outcome: 'done', answer: answer.body });
  // It may be done at any later time.
  else if (arrived && !isUndone(answer))
    book.credit.push({ ...change, ...end(), ...never, outcome: 'unknown' } satisfies AskedChange);
};

const never = { ended: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };

const readOf =
  (customersOf: (world: World) => readonly Resident[]) =>
  async (world: World): Promise<void> => {
    const { service, pick } = world;
    const { uuid, username } = pick(customersOf(world)) as Resident;
    const end = service.book.begin();
    const { body } = await send(service, rows.getCredit, { params: { identifier: username } });
    const { credit, restrictedCredit } = body;
    service.book.seen.push({
      ...{ uuid, ...end(), text: `a read answered ${credit} and ${restrictedCredit}` },
      isTrue: ({ regular, restricted }) => balanceOf(regular) === credit && balanceOf(restricted) === restrictedCredit,
    });
    compare(world, `the credit of ${username}`, body, { uuid, username });
  };

export const creditActions: readonly Action[] = [
  { weight: 9, run: changeOwn },
  { weight: 7, run: changeHot },
  { weight: 3, run: incrementOnce },
  { weight: 6, run: readOf(({ customers }) => customers) },
  { weight: 4, run: readOf(({ hot }) => hot) },
];
