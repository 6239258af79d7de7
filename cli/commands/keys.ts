import { type Command, InvalidArgumentError, Option } from 'commander';
import { now } from '../../lib/clock.ts';
import { type Scope, scopes } from '../../lib/routes/route.ts';
import { type ApiKey, issueKey, listKeys, revokeKey, rotateKey } from '../../lib/store/api-keys.ts';
import { isCurrent, isLive, keyColumns, prefixOf, printNewKey, readScopes, shown } from '../keys.ts';
import { parseName } from '../names.ts';
import { examples, Failure, note, print, shownTime, UsageError } from '../output.ts';
import { parseEnd, parseSpan, timeAfter } from '../span.ts';
import { chooseStore, connect, type GlobalOptions } from '../target.ts';

const parseScopes = (text: string): Scope[] => {
  const named = text.split(',').map((scope) => scope.trim());
  const unknown = named.filter((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`There is no scope ${unknown.join(', ')}. There are: ${scopes.join(', ')}.`);
  return scopes.filter((scope) => named.includes(scope));
};

interface IssueOptions extends GlobalOptions {
  scopes?: Scope[];
  allScopes?: boolean;
  readOnly?: boolean;
  expires?: () => string;
}

const scopesOf = ({ scopes: some, allScopes, readOnly }: IssueOptions): readonly Scope[] => {
  if (some) return some;
  if (allScopes) return scopes;
  if (readOnly) return readScopes;
  throw new UsageError(
    'Say what the key may do: --scopes coupons:read,coupons:apply (or others), --read-only or --all-scopes.',
  );
};

const endOf = ({ expires }: { expires?: () => string }): string | undefined => {
  const end = expires?.();
  if (end !== undefined && Date.parse(end) <= now())
    throw new UsageError(`--expires must be in the future: ${end} is over.`);
  return end;
};

/** The live keys that a name or id (with or without what stands before it) means. */
const matching = (keys: readonly ApiKey[], wanted: string): ApiKey[] => {
  const byId = keys.filter(({ id }) => id === wanted || /^sis_(?:live|test)_(\w{12})$/.exec(wanted)?.[1] === id);
  return byId.length > 0 ? byId : keys.filter(({ name }) => name.toLowerCase() === wanted.trim().toLowerCase());
};

const getLive = (keys: readonly ApiKey[], wanted: string): ApiKey[] => {
  const live = keys.filter(isLive);
  const found = matching(live, wanted);
  if (found.length > 0) return found;
  const names = [...new Set(live.map(({ name }) => name))].join(', ');
  const over =
    matching(keys, wanted).length > 0
      ? `The key ${wanted} is revoked or expired already.`
      : `There is no key ${wanted}.`;
  throw new Failure(`${over} ${names === '' ? 'The store has no live key.' : `Live keys: ${names}.`}`);
};

const issue = async (name: string, options: IssueOptions): Promise<void> => {
  const wanted = scopesOf(options);
  const target = await connect(options);
  const expiresAt = endOf(options);
  const store = await chooseStore(options.store);
  if (matching((await listKeys(store.id)).filter(isCurrent), name).length > 0)
    throw new Failure(
      `${store.name} has a live key "${name}". Choose another name, or replace that one: store key rotate "${name}"`,
    );
  const { key, text } = await issueKey({
    store: store.id,
    name,
    scopes: wanted,
    stage: target.keyStage,
    ...(expiresAt !== undefined && { expiresAt }),
  });
  printNewKey(key, text, target);
};

/** A key that expires is replaced by one that lives as long, unless told otherwise. */
const successorEnd = ({ createdAt, expiresAt }: ApiKey): string | undefined =>
  expiresAt && timeAfter(Date.parse(expiresAt) - Date.parse(createdAt));

const rotate = async (
  wanted: string,
  options: GlobalOptions & { overlap: number; expires?: () => string },
): Promise<void> => {
  const target = await connect(options);
  const store = await chooseStore(options.store);
  const [old, ...others] = getLive(await listKeys(store.id), wanted).filter(isCurrent);
  if (!old) throw new Failure(`The key ${wanted} was rotated already, and is about to end. See store key list.`);
  if (others.length > 0)
    throw new UsageError(`Several live keys have the name ${wanted}: give the prefix of one, from store key list.`);
  const overlapEnd = timeAfter(options.overlap);
  // Compared as times, not as texts: the old key must not live longer than it would have.
  const endsFirst = old.expiresAt !== undefined && Date.parse(old.expiresAt) < Date.parse(overlapEnd);
  const until = endsFirst ? (old.expiresAt as string) : overlapEnd;
  const { key, text } = await rotateKey(old, until, target.keyStage, endOf(options) ?? successorEnd(old));
  printNewKey(key, text, target);
  note(
    `The key before it, ${prefixOf(old, target)}, ends ${shownTime(until)}: put the new one in its place until then.`,
  );
};

const revoke = async (wanted: string, options: GlobalOptions): Promise<void> => {
  const target = await connect(options);
  const store = await chooseStore(options.store);
  const found = getLive(await listKeys(store.id), wanted);
  for (const { id } of found) await revokeKey(id);
  const after = (await listKeys(store.id)).filter(({ id }) => found.some((key) => key.id === id));
  print(
    after.map((key) => ({ ...shown(key, target), effectiveWithinSeconds: target.authorizerTtlSeconds })),
    keyColumns,
  );
  note(`Revoked. It takes effect within ${target.authorizerTtlSeconds} seconds: until then calls may still be let in.`);
};

export const addKeys = (program: Command): void => {
  const key = program.command('key').description('API keys: issue, list, rotate, revoke.');
  const expires = () =>
    new Option('--expires <when>', 'ends after a length of time (90d), a day (2027-12-31) or a time').argParser(
      parseEnd,
    );

  key
    .command('issue')
    .description('Issues a key. It is printed once and stored nowhere.')
    .argument('<name>', 'what the key is for, such as "web shop"', parseName)
    .addOption(
      new Option('--scopes <list>', `what it may do, separated by commas: ${scopes.join(', ')}`).argParser(parseScopes),
    )
    .addOption(
      new Option('--read-only', 'it may read everything and change nothing').conflicts(['scopes', 'allScopes']),
    )
    .addOption(new Option('--all-scopes', 'it may do everything').conflicts('scopes'))
    .addOption(expires())
    .addHelpText(
      'after',
      examples(
        'store key issue "web shop" --all-scopes',
        'store key issue "stats bot" --read-only --expires 90d',
        'KEY=$(store key issue till --scopes coupons:read,coupons:apply)',
      ),
    )
    .action((name: string, _, command: Command) => issue(name, command.optsWithGlobals()));

  key
    .command('list')
    .description('Lists the keys of a store, revoked and expired ones too.')
    .addHelpText('after', examples('store key list', 'store key list --json'))
    .action(async (_, command: Command) => {
      const options: GlobalOptions = command.optsWithGlobals();
      const target = await connect(options);
      const { id } = await chooseStore(options.store);
      print(
        (await listKeys(id)).map((one) => shown(one, target)),
        keyColumns,
        'The store has no key yet. Issue one: store key issue',
      );
    });

  key
    .command('rotate')
    .description('Issues a key of the same name and scopes, and lets the old one end after a while.')
    .argument('<name>', 'name or prefix of the key')
    .addOption(
      new Option('--overlap <length>', 'how long the old key works on')
        .default(parseSpan('24h'), '24h')
        .argParser(parseSpan),
    )
    .addOption(expires())
    .addHelpText('after', examples('store key rotate "web shop"', 'store key rotate "web shop" --overlap 7d'))
    .action((name: string, _, command: Command) => rotate(name, command.optsWithGlobals()));

  key
    .command('revoke')
    .description('Ends every live key of a name, or the one of a prefix.')
    .argument('<name>', 'name or prefix of the key')
    .addHelpText('after', examples('store key revoke "web shop"', 'store key revoke sis_live_0a1B2c3D4e5F'))
    .action((name: string, _, command: Command) => revoke(name, command.optsWithGlobals()));
};
