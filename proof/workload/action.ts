import type { Resident } from '../../lib/avatars/residents.ts';
import type { Route } from '../../lib/routes/route.ts';
import type { RowKind } from './book.ts';
import { type Call, type Service, send } from './client.ts';
import { fieldFaults, onceEach } from './faults.ts';

/**
 * The workload: what clients of the service do, and the one book that says what must then be true. Load, upgrade and
 * the other machines bring a driver (who acts when, over which version, under which faults) and a clock.
 *
 * An endpoint enters all of them by one action in `actions/`: a function that makes a request of a row, sends it, takes
 * the answer into the book, and compares it with what the book says. To add one:
 *
 * 1. Write it in its resource's file, with the row from `lib/routes/`. `send` repeats the request until it has a final
 *    answer, and tells the book of a wrong status or shape.
 * 2. Before a write whose outcome others may see, say `changing`; after the answer, `changed`.
 * 3. Keep what it makes true at the end as a fact of the book (`book.ts`). The checker of that concern in `checks/`
 *    compares the fact with the table, or with lists over HTTP. Each checker is told what must be there, and takes it
 *    from wherever the machine reads it.
 */

/**
 * The knowledge of one client. It alone changes its own rows, one request after another, so it knows the right answer
 * to each. All clients change hot customers and shared categories at the same time.
 */
export interface World {
  index: number;
  service: Service;
  /** A whole number from 0 up to `limit`. */
  below: (limit: number) => number;
  pick: <T>(items: readonly T[]) => T | undefined;
  /** A text that is unique in the run. */
  unique: (prefix: string) => string;
  /** Residents that only this client uses. */
  customers: readonly Resident[];
  /** Residents that all clients use. */
  hot: readonly Resident[];
  /** The resident whose credit is counted without Idempotency-Keys. */
  counted: Resident;
  own: { products: string[]; coupons: string[]; cards: string[]; categories: string[] };
  /** Products whose last copies all clients sell. */
  limited: readonly { id: string; price: number }[];
  /** The store's webhooks by id. Nobody changes them. */
  webhooks: readonly string[];
  /** Categories that all clients put their products into. */
  shared: readonly string[];
}

/** An action of a client. The weight says how often it is chosen. */
export interface Action {
  weight: number;
  run: (world: World) => Promise<void>;
}

/** Adds a fault for each member of an answered row that differs from the book. */
export const compare = ({ service }: World, what: string, body: Record<string, unknown>, known: object): void =>
  fieldFaults(what, body, known).forEach(service.book.fault);

/** Adds a fault for each id in an answered list that the book does not have, and for each that is missing. */
export const compareIds = ({ service }: World, what: string, rows: { id: string }[], known: readonly string[]): void =>
  onceEach(
    what,
    known,
    rows.map(({ id }) => id),
  ).forEach(service.book.fault);

type OwnRows = keyof World['own'];

/** Does something with one of the client's own rows, if it has one. */
export const withOwn = async (world: World, rows: OwnRows, act: (id: string) => Promise<unknown>): Promise<void> => {
  const id = world.pick(world.own[rows]);
  if (id !== undefined) await act(id);
};

/** Sends a write of a row, notes its effect in the book, and answers the row's id. Undefined makes a new row. */
export const writeRow = async (
  world: World,
  kind: RowKind,
  id: string | undefined,
  [route, call]: [Route, Call],
  known: Record<string, unknown>,
): Promise<string> => {
  const { service } = world;
  if (id !== undefined) service.book.changing(kind, id);
  const { body } = await send(service, route, call);
  const made: string = id ?? body.id;
  service.book.changed(kind, made, known);
  compare(world, `${route.id} of ${made}`, body, known);
  return made;
};

/** Reads a row, and compares it with the book. */
export const readRow = async (world: World, kind: RowKind, id: string, [route, call]: [Route, Call]): Promise<void> => {
  const { body } = await send(world.service, route, call);
  compare(world, `${route.id} of ${id}`, body, world.service.book.rows[kind].get(id)?.fields ?? {});
};
