import { Problem } from './problem.ts';

/**
 * An item or a message may have a `shape`; without one it is 1. A version of the service raises it on everything that
 * an earlier version would misread. An earlier version leaves such an item or message unchanged for a later one:
 * docs/adr/0042-later-shapes.md.
 */
interface ShapedItem {
  shape?: unknown;
}

/** The highest shape that this version of the service reads. */
export const knownShape = 2;

/** True for an item or a message that only a later version of the service can read. */
export const isLater = (found: unknown): boolean => {
  const { shape } = (found ?? {}) as ShapedItem;
  return typeof shape === 'number' && shape > knownShape;
};

/** 503. Nothing was written: a later version of the service can do it. */
export class LaterShape extends Problem {
  constructor() {
    super(
      503,
      'A later version of the service, which is being deployed or was taken back, wrote this. Send the request again a little later.',
      [],
      { 'Retry-After': '10' },
    );
  }
}

/** The item, if this version can read it. Throws LaterShape. */
export const demandKnown = <T>(found: T): T => {
  if (isLater(found)) throw new LaterShape();
  return found;
};
