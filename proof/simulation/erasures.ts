import { erasePerson } from '../../apps/cli/person/erase.ts';
import { Failure } from '../../apps/cli/terminal/errors.ts';
import { balanceOf } from '../../test/support/model/credit.ts';
import { avatarOf } from '../../test/support/model/sales.ts';
import { consumeAll, consumeSome, deliverSome } from './background.ts';
import { type Outcome, type Part, repeatable, send, serveAlone } from './client.ts';
import { erasureName } from './erased-items.ts';
import { lasting, type Machine, works } from './machine.ts';
import type { Operation, Seen } from './operation.ts';
import type { State, World } from './world.ts';

/** Erases avatars while they act. Afterwards the avatars come back. */

/** Consumes the stream and makes deliveries while an erasure waits for them. */
const whileServed = async (part: Part, work: () => Promise<Outcome>): Promise<Outcome> => {
  const { machine } = part;
  let isOver = false;
  const serve = async (): Promise<void> => {
    while (!isOver) {
      await serveAlone(part, () => consumeSome(machine));
      await serveAlone(part, () => deliverSome(machine));
      await machine.sleep(200);
    }
  };
  const ended = work().finally(() => {
    isOver = true;
  });
  const [outcome] = await Promise.all([ended, serve()]);
  return outcome;
};

/** If an erasure reports what the avatar holds, they do hold that. */
const isToldRight = (model: State, uuid: string, { outcome }: Seen): boolean => {
  const text = outcome.kind === 'answered' ? String(outcome.body) : '';
  const [, regular, restricted] = /They hold L\$ ([\d,]+) of credit and L\$ ([\d,]+) of/.exec(text) ?? [];
  const { credit } = avatarOf(model, uuid);
  const isSum = (told: string, balance: number): boolean => Number(told.replaceAll(',', '')) === balance;
  return (
    regular === undefined ||
    restricted === undefined ||
    (isSum(regular, balanceOf(credit.regular)) && isSum(restricted, balanceOf(credit.restricted)))
  );
};

/** Answers to requests last for a day. Applications of an avatar's coupon by others last at most a week. */
const lapsing = ['REQUEST', 'APPLIED'];

/** The items that name an avatar, except for the items that an erasure leaves for a while. */
const itemsAbout = ({ table }: Machine, { store }: World, uuid: string): string[] =>
  table
    .items()
    .filter(({ pk, erased }) => {
      const [of, part = '', owner] = String(pk).split('#');
      return of === store && erased === undefined && (owner === uuid || !lapsing.includes(part));
    })
    .map((item) => JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value)))
    .filter((text) => text.includes(uuid));

/**
 * Erases an avatar, with or without what they hold. A person repeats an erasure that has begun: until its end,
 * everything that came in between is under the avatar's own UUID.
 */
export const erasureOperation = (part: Part, uuid: string, mayBegin = Promise.resolve()): Operation => {
  const { machine, world } = part;
  const { random } = machine;
  const { store } = world;
  const name = erasureName(part.name, uuid);
  const forfeit = random.chance(0.7);
  const begin = random.of([0, 0, 500, 3000]);
  /** Answers why it could not be done, if so. */
  const erase = () =>
    erasePerson(store, uuid, forfeit, () => []).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Failure) return error.message;
        throw error;
      },
    );
  const finish = async (): Promise<void> => {
    if (!machine.commits.some(({ operation }) => operation === name)) return;
    const again = () => works.run(lasting(machine, name), erase);
    let why = await again();
    // History must first tell of the credit that the erasure forfeits.
    await consumeAll(machine);
    if (why !== undefined) why = await again();
    await consumeAll(machine);
    if (why !== undefined) return;
    for (const text of itemsAbout(machine, world, uuid)) machine.alarms.push(`${name} has left ${text}`);
  };
  return {
    name,
    text: `erasure of ${uuid.slice(0, 8)}${forfeit ? ' with all that they hold' : ''}`,
    run: async () => {
      await mayBegin;
      await machine.sleep(begin);
      return whileServed(part, () => send({ ...part, name }, repeatable, erase));
    },
    finish,
    judge: (model, seen) => isToldRight(model, uuid, seen),
  };
};

type RedeemOperation = (part: Part, card: string, uuid: string) => Operation;

/** Erases a customer after they redeem their card, since a card with credit would forbid the erasure. */
export const erasureOperations = (part: Part, redeeming: RedeemOperation): Operation[] => {
  const { machine, world, name } = part;
  const uuid = world.avatars[machine.random.of([0, 0, 0, 1, 1, 2])] as string;
  const card = world.cards.find((id) => world.state.cards[id]?.owner === uuid);
  if (card === undefined || machine.random.chance(0.1)) return [erasureOperation(part, uuid)];
  const redeem = redeeming({ ...part, name: `${name} redeem` }, card, uuid);
  const { promise: isRedeemed, resolve } = Promise.withResolvers<void>();
  return [{ ...redeem, run: () => redeem.run().finally(resolve) }, erasureOperation(part, uuid, isRedeemed)];
};
