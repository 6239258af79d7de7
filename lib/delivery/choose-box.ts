import type { Dispenser } from './dispensers.ts';

/** The last answer of a box that did not give the item. */
interface BoxAnswer {
  /** When the asked box had registered; empty if the box may be asked again. */
  registeredAt: string;
  /** The box has said that it does not have the item. */
  isNotHere: boolean;
  /** No connection was made, so the box may be asked again before it registers. */
  isUnconnected?: true;
}

/** The part of a delivery's record that says which box to ask. */
export interface Standing {
  /** The box that may have given the item: no other box is asked. */
  box?: string | undefined;
  /** The answers of the boxes by their names. */
  heard?: Readonly<Record<string, BoxAnswer>> | undefined;
  /** An operator opened it again: while `box` has no address, others are asked. */
  isRetried?: true | undefined;
}

export type ChosenBox = Pick<Dispenser, 'name' | 'url' | 'registeredAt'>;

export type Choice<B extends ChosenBox> =
  | { kind: 'ask'; box: B & { url: string } }
  | { kind: 'wait' }
  | { kind: 'fail' };

/**
 * Decides which box of a store is asked next for a delivery. `boxes` are in the order in which they are asked. A box
 * that has answered is asked again when it has registered again. The delivery fails when each box has said that it does
 * not have the item. Until then it waits for a registration.
 */
export const chooseBox = <B extends ChosenBox>(
  { box: own, heard = {}, isRetried }: Standing,
  boxes: readonly B[],
): Choice<B> => {
  const mayAsk = (box: B): box is B & { url: string } =>
    box.url !== undefined && heard[box.name]?.registeredAt !== box.registeredAt;
  const owner = boxes.find(({ name }) => name === own);
  if (owner && mayAsk(owner)) return { kind: 'ask', box: owner };
  if (own !== undefined && !(isRetried && owner?.url === undefined)) return { kind: 'wait' };
  const next = boxes.find(mayAsk);
  if (next) return { kind: 'ask', box: next };
  const isRefused = boxes.length > 0 && boxes.every(({ name }) => heard[name]?.isNotHere);
  return { kind: own === undefined && isRefused ? 'fail' : 'wait' };
};

/** The standing after a box has said that it does not have the item, or could not be asked. */
export const afterAnswer = (
  standing: Standing,
  { name, registeredAt }: ChosenBox,
  kind: 'not here' | 'unconnected' | 'spent',
): Standing => {
  const isNotHere = kind === 'not here' || standing.heard?.[name]?.isNotHere === true;
  const answer: BoxAnswer = { registeredAt, isNotHere, ...(kind === 'unconnected' && { isUnconnected: true }) };
  return { ...standing, heard: { ...standing.heard, [name]: answer } };
};

/** Drops the answers that `isKept` refuses, but remembers that a box has said it does not have the item. */
const withoutAnswers = ({ heard = {} }: Standing, isKept: (answer: BoxAnswer) => boolean): Standing['heard'] => {
  const left = Object.entries(heard).flatMap(([name, answer]): [string, BoxAnswer][] => {
    if (isKept(answer)) return [[name, answer]];
    return answer.isNotHere ? [[name, { registeredAt: '', isNotHere: true }]] : [];
  });
  return left.length > 0 ? Object.fromEntries(left) : undefined;
};

/** The answers that still count when the boxes without a connection are asked once more. */
export const beforeNextRound = (standing: Standing): Standing['heard'] =>
  withoutAnswers(standing, ({ isUnconnected }) => !isUnconnected);

/** The answers that still count when an operator opens a waiting delivery again. */
export const beforeRetry = (standing: Standing): Standing['heard'] =>
  withoutAnswers(standing, ({ isNotHere, isUnconnected }) => isNotHere && !isUnconnected);

/** True if a box that is still registered could not be reached, so that another try may succeed. */
export const mayReconnect = ({ heard = {} }: Standing, boxes: readonly ChosenBox[]): boolean =>
  boxes.some(
    ({ name, url, registeredAt }) =>
      url !== undefined && heard[name]?.isUnconnected && heard[name].registeredAt === registeredAt,
  );
