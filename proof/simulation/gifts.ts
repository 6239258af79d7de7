import { timestamp } from '../../lib/clock.ts';
import { type UndoneChange, undoCreditChange } from '../../lib/credit/undo.ts';
import { type GiftLine, giveLine, readGiven, takeBackLine } from '../../lib/operator/give-credit.ts';
import { avatarOf } from '../../test/support/model/sales.ts';
import { changeNoted, undo } from '../../test/support/model/undo.ts';
import { consumeSome } from './background.ts';
import { type Outcome, type Part, repeatable, send, sendingOf, serveAlone } from './client.ts';
import { creditLimit } from './environment.ts';
import { isErased } from './erased-items.ts';
import { hasBalances } from './model-answers.ts';
import type { Operation, Seen } from './operation.ts';
import { type State, start, type World } from './world.ts';

/** Gifts by the lines of a run, and people who undo changes of credit by their lines or numbers. */

const minute = 60_000;

/** The lines of the only run, all for one customer so that they meet. */
const linesOf = ({ avatars: [uuid = ''] }: World): GiftLine[] => [
  { number: 1, uuid, type: 'regular', amount: 30 },
  { number: 2, uuid, type: 'regular', amount: 50, expiresAt: timestamp(start + 20 * minute) },
  { number: 3, uuid, type: 'regular', amount: 40, expiresAt: timestamp(start + 3000) },
  { number: 4, uuid, type: 'restricted', amount: 20 },
];

const run = (store: string) => ({ store, reference: 'RUN', reason: 'A gift' });

const nameOf = ({ number }: GiftLine): string => `line ${number}`;

const giveOperation = (part: Part, line: GiftLine): Operation => {
  const { world, name } = part;
  const { uuid, type, amount: delta, expiresAt } = line;
  const command = { kind: 'increment' as const, delta, expiresAt };
  return {
    name,
    text: `gift of ${nameOf(line)}`,
    run: () => send(part, repeatable, () => giveLine(run(world.store), line)),
    judge: (model, { effect, at, outcome }) => {
      model.touched[uuid] = true;
      const isGiven = model.given[nameOf(line)] === true;
      if (isGiven || !effect) return effect === undefined && isGiven === (outcome.kind === 'answered');
      model.given[nameOf(line)] = true;
      if (effect.kind !== 'credit') return false;
      const change = { uuid, type, sequence: effect.item.creditVersion, command, now: at, limit: creditLimit };
      return changeNoted(avatarOf(model, uuid).credit[type], model.changes, nameOf(line), change);
    },
  };
};

/** Undoes a change in the model, which must do what the service did. */
const hasUndone = (model: State, change: string, { answer, effect, at }: Seen): boolean => {
  const made = model.changes[change];
  if (!made) return false;
  const { uuid, type, undone: before } = made;
  if (before && effect) return false;
  if (!before && effect?.kind !== 'undo') return false;
  model.touched[uuid] = true;
  const told = effect?.kind === 'undo' ? effect.mark : undefined;
  const { amount, left, changed } = undo(avatarOf(model, uuid).credit[type], model.changes, change, at, told);
  if (told && (told.amount !== amount || told.left !== left || (told.sequence !== null) !== changed)) return false;
  const { amount: back, left: rest, credit } = (answer ?? { amount, left }) as Partial<UndoneChange>;
  // The answer to a repeated request has the credit of that time.
  return back === amount && rest === left && (told !== undefined || hasBalances(model, uuid, credit));
};

/**
 * The same after an erasure has moved the change away. Its number may now belong to a newer change: the avatar who came
 * back is a new customer.
 */
const hasUndoneStale = (model: State, uuid: string, number: number | undefined, seen: Seen): boolean => {
  const changes = Object.keys(model.changes);
  const other = changes.find((name) => {
    const made = model.changes[name];
    return made?.uuid === uuid && made.sequence === number;
  });
  return other === undefined ? !seen.effect && seen.outcome.kind !== 'answered' : hasUndone(model, other, seen);
};

/** Consumes the stream while a request waits for history. */
const withHistory = async (part: Part, work: () => Promise<Outcome>): Promise<Outcome> => {
  let isOver = false;
  const consume = async (): Promise<void> => {
    while (!isOver) {
      await serveAlone(part, () => consumeSome(part.machine));
      await part.machine.sleep(100);
    }
  };
  const [outcome] = await Promise.all([
    work().finally(() => {
      isOver = true;
    }),
    consume(),
  ]);
  return outcome;
};

/** Undoes the change with a name, as soon as its number is known. */
const undoOperation = (part: Part, change: string, uuid: string, number: Promise<number | undefined>): Operation => {
  const { world, name } = part;
  const sending = { ...sendingOf(part), ...repeatable };
  let asked: number | undefined;
  return {
    name,
    text: `undo of ${change}`,
    run: async () => {
      const sequence = await number;
      asked = sequence;
      if (sequence === undefined) return { kind: 'unknown' };
      return withHistory(part, () =>
        send(part, sending, (asker) => undoCreditChange(world.store, { uuid }, sequence, asker)),
      );
    },
    judge: (model, seen) => {
      if (model.changes[change]?.uuid === uuid) return hasUndone(model, change, seen);
      return hasUndoneStale(model, uuid, asked, seen);
    },
  };
};

const takeBackOperation = (part: Part, line: GiftLine): Operation => {
  const { machine, world, name } = part;
  const { uuid } = line;
  const giving = run(world.store);
  const takeBack = async () => {
    const given = await readGiven(giving, line.number);
    return given && takeBackLine(giving, given);
  };
  return {
    name,
    text: `undo of ${nameOf(line)}`,
    run: () => withHistory(part, () => send(part, repeatable, takeBack)),
    judge: (model, seen) => {
      const { outcome, effect } = seen;
      if (outcome.kind === 'answered' && outcome.body === undefined) return !model.given[nameOf(line)];
      // An erasure is under way, or has moved the change while the line was read.
      if (outcome.kind === 'refused') return !effect && isErased(machine.commits, uuid);
      return hasUndone(model, nameOf(line), seen);
    },
  };
};

type ChangeOperation = (part: Part, uuid: string, onAnswer: (outcome: Outcome) => void) => Operation;

/** Operations that give credit and take it back: a line, an earlier change, or a change of `changing`. */
export const giftOperations = (part: Part, changing: ChangeOperation): Operation[] => {
  const { machine, world, name } = part;
  const { random } = machine;
  const line = random.of(linesOf(world));
  const choice = random.below(10);
  if (choice < 3) return [giveOperation(part, line)];
  if (choice < 5) return [takeBackOperation(part, line)];
  if (choice < 7) {
    const made = random.of(world.made);
    return [undoOperation(part, made.name, made.uuid, Promise.resolve(made.sequence))];
  }
  const { promise: number, resolve } = Promise.withResolvers<number | undefined>();
  const uuid = random.of(world.avatars.slice(0, 2));
  const onAnswer = (outcome: Outcome): void =>
    resolve(outcome.kind === 'answered' ? (outcome.body as { sequence?: number }).sequence : undefined);
  const change = { ...part, name: `${name} change` };
  const undos = ['undo', 'other undo'].slice(0, random.of([1, 1, 2]));
  return [
    changing(change, uuid, onAnswer),
    ...undos.map((text) => undoOperation({ ...part, name: `${name} ${text}` }, change.name, uuid, number)),
  ];
};
