import type * as z from 'zod';
import { findResident, type Resident } from '../../../lib/avatars/residents.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import type { Source } from '../../../lib/lists/source.ts';
import type { Route } from '../../../lib/routes/route.ts';
import type { Log } from '../../../lib/store/operator-log.ts';
import type { Store } from '../../../lib/store/stores.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore, type Target } from '../deployment/target.ts';
import { type FieldColumn, printFields } from '../terminal/columns.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, orUnknown, UsageError } from '../terminal/errors.ts';
import { ask, exampleId, parseCount, type ThingName, unknownId } from '../terminal/input.ts';
import { isInteractive, isJson, note } from '../terminal/output.ts';
import {
  defaultsOf,
  type Field,
  fieldInputs,
  type Input,
  isArgument,
  optionOf,
  pathInputs,
  valuesOf,
} from './endpoint-input.ts';

/**
 * Makes a command from an endpoint's row. The row's summary is its help, the fields of query and body are its options,
 * and it prints the row's answer. It calls `lib/` and not the API, since an operator has no key of the store.
 */

type Fields<R extends Route> = z.output<R['query']> & (R['body'] extends z.ZodType ? z.output<R['body']> : unknown);
type Response<R extends Route> = R['response'] extends z.ZodType ? z.output<R['response']> : { id: string };
/** The answer of a row, or one row of a list. */
type Answer<R extends Route> = Response<R> extends { data: (infer Row extends object)[] } ? Row : Response<R>;

/** The store of a call, and the values that a person gave. */
interface Call<R extends Route> {
  target: Target;
  store: Store;
  params: z.output<R['params']>;
  /** The resident that the path names. */
  resident: 'identifier' extends keyof z.output<R['params']> ? Resident : undefined;
  /** The fields of query and body, as their schemas read them. */
  fields: Fields<R>;
  /** Makes a row of the operator's log about the store. Not for a GET. */
  log: (...row: [action: Parameters<Log>[0], details: Parameters<Log>[2]]) => ReturnType<Log>;
}

/** The parts of a command that its row does not tell. */
interface Facts<R extends Route, A extends string> {
  /** By default the row's own summary. */
  summary?: string;
  /** Further sentences of the help, after the summary. */
  about?: string;
  /** The thing that an id in the path names. */
  thing?: ThingName;
  /** Is added to the message that there is no such thing. */
  unknown?: string;
  fields?: { [Name in keyof Fields<R>]?: Field };
  /** Fields that the person leaves out stay as they are. At least one must be given. */
  partial?: true;
  /** The options of further examples, which begin like the first. */
  examples?: readonly string[];
  /** Members of the result that the operator sees in addition to the row's answer. */
  also?: readonly A[];
  columns?: readonly FieldColumn<Answer<R> & Record<A, unknown>>[];
  /** Makes columns that show names which must be read first. */
  columnsFor?: (answers: Answer<R>[], call: Call<R>) => Promise<FieldColumn<Answer<R>>[]>;
  /** Prints the answer for people, in place of columns. */
  prints?: (answer: Answer<R> & Record<A, unknown>) => void;
  /** The note for an empty list, after the name of the store or customer, such as `has no such sale.` */
  none?: string;
  /** The question before the command acts. Asked only at a terminal. */
  asks?: (call: Call<R>) => Promise<string>;
}

type Work<R extends Route> =
  | { list: (call: Call<R>) => Source<object> | Promise<Source<object>> }
  // biome-ignore lint/suspicious/noConfusingVoidType: a verb that deletes answers nothing.
  | { act: (call: Call<R>) => Promise<object | void> };

/** The facts of any command. The types of `command` have checked them against the row. */
type AnyFacts = Facts<Route, string> & Work<Route>;

type Shown = Response<Route> & Record<string, unknown>;

/** A command without its words. */
export interface EndpointCommand {
  row: Route;
  add: (group: StoreCommand, word: string) => void;
}

/** A list with `map` applied to each row. */
export const mapped =
  <T, U>(source: Source<T>, map: (row: T) => U): Source<U> =>
  async (range) =>
    (await source(range)).map(map);

/** Finds a resident that the store knows. Throws if there is none. */
export const demandResident = async (target: Target, store: Store, identifier: Identifier): Promise<Resident> => {
  const resident = await findResident(store.id, identifier);
  if (resident) return resident;
  throw new Failure(`There is no resident ${identifier.username ?? identifier.uuid} on ${target.name}.`);
};

/** The part of a result that is shown. The row's schema drops all undeclared members, such as secrets. */
const answerOf = ({ response }: Route, result: object, also: readonly string[]): Shown => {
  const schema = (response?.shape.data as z.ZodArray<z.ZodObject> | undefined)?.element ?? response;
  const more = Object.entries(result).filter(([name]) => also.includes(name));
  return { ...(schema?.parse(result) ?? result), ...Object.fromEntries(more) } as Shown;
};

/** Does the work of a command, and prints its answer. */
const runWith = async (row: Route, facts: AnyFacts, call: Call<Route>, limit?: number): Promise<void> => {
  const { thing, unknown = '', also = [], columns, columnsFor, prints, none } = facts;
  const { store, resident } = call;
  const id = String(Object.values(call.params).at(-1));
  const work = async (): Promise<object[]> => {
    if ('list' in facts) return (await facts.list(call))({ descending: false, limit: (limit ?? 0) + 1 });
    return [(await facts.act(call)) ?? { id, deleted: true }];
  };
  const results = await (thing ? orUnknown(work(), `${unknownId(store.name, thing, id)}${unknown}`) : work());
  const answers = results.map((result) => answerOf(row, result, also));
  const isForPeople = !isJson();
  if (isForPeople && resident && 'list' in facts) note(`${resident.username} (${resident.uuid}) in ${store.name}`);
  if (isForPeople && prints) for (const answer of answers) prints(answer);
  else {
    // Names are read only for people: JSON has no columns.
    const named = isForPeople ? await columnsFor?.(answers, call) : [];
    const shown = columns ?? named ?? [['deleted', () => id]];
    printFields(answers, shown, `${resident?.username ?? store.name} ${none}`, limit);
  }
};

/** An argument or option for an example. */
const exampleOf = ({ name, flags, example = exampleId }: Input): string => {
  const value = name === 'identifier' ? 'ada.lovelace' : example;
  return flags.startsWith('<') ? value : `${flags.split(' ')[0]} ${value}`;
};

interface Options extends GlobalOptions, Record<string, unknown> {
  limit?: number;
  yes?: boolean;
}

/** Adds a command of a row to its group. */
const addTo = (group: StoreCommand, word: string, row: Route, facts: AnyFacts): void => {
  const { summary = row.summary, about = '', thing, fields = {}, partial = false, examples = [], asks } = facts;
  const inPath = pathInputs(row, thing);
  const others = fieldInputs(row, fields).map((input) => (partial ? { ...input, isNeeded: false } : input));
  const inputs = [...inPath, ...others];
  // A row's summary is an order, such as `List vendors`. The help says what the command does: `Lists vendors`.
  const made = group.command(word).description(`${summary.replace(/^\w+/, '$&s')}. ${about}`.trim());
  for (const input of inputs)
    if (isArgument(input)) made.argument(input.flags, input.about, input.parse);
    else made.addOption(optionOf(input));
  if ('list' in facts) made.option('--limit <number>', 'how many at most', parseCount, 100);
  if (asks) made.option('--yes', 'do not ask');
  const line = ['store', group.name(), word, ...inputs.filter(({ isNeeded }) => isNeeded).map(exampleOf)].join(' ');
  made.examples(...(partial ? [] : [line]), ...examples.map((more) => `${line} ${more}`));

  made.runs(async (options: Options, ...args: unknown[]) => {
    const given = () => valuesOf(others, options, args.slice(inPath.length));
    if (partial && Object.keys(given()).length === 0)
      throw new UsageError(`Say what changes: ${others.map(({ flags }) => flags.split(' ')[0]).join(', ')}.`);
    const { target, store } = await openStore(options);
    const params = valuesOf(inPath, {}, args);
    const resident = params.identifier && (await demandResident(target, store, params.identifier as Identifier));
    const sent = { ...(partial ? {} : defaultsOf(row)), ...given() };
    const call = { target, store, params, resident, fields: sent } as Call<Route>;
    if (asks && !options.yes && isInteractive())
      await ask(`${await asks(call)} Type ${word} to go on.`, '--yes', (answer) =>
        answer === word ? undefined : `Type ${word}, or press Ctrl-C.`,
      );
    if (row.method !== 'GET') {
      const log = await openLog(target);
      call.log = (action, details) => log(action, store.id, details);
    }
    await runWith(row, facts, call, options.limit);
  });
};

export const command = <R extends Route, A extends string = never>(
  row: R,
  facts: Facts<R, A> & Work<R>,
): EndpointCommand => ({ row, add: (group, word) => addTo(group, word, row, facts as unknown as AnyFacts) });
