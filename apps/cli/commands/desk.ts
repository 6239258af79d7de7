import { Option } from 'commander';
import { now, timestamp } from '../../../lib/clock.ts';
import { type PresetName, presets } from '../../../lib/routes/key-presets.ts';
import type { Scope } from '../../../lib/routes/scopes.ts';
import { keyFacts } from '../../../lib/store/api-keys.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import {
  type ExpiryOptions,
  expiresOption,
  expiryOf,
  noteRights,
  presetHelp,
  presetOption,
  shown,
} from '../deployment/keys.ts';
import { openLog } from '../deployment/log.ts';
import { openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { parseEnd } from '../terminal/input.ts';
import { isJson, note, print, shownTime } from '../terminal/output.ts';

interface DeskOptions extends ExpiryOptions {
  preset: PresetName;
  owner?: boolean;
  invite?: () => string;
}

/** A link's key makes no keys, unless it is an owner's: whoever finds the link could make one that outlives it. */
const scopesOf = ({ owner, preset }: DeskOptions): readonly Scope[] =>
  owner ? presets.all.scopes : presets[preset].scopes.filter((scope) => scope !== 'keys:write');

/** The key or the invitation of a link: its name, and its ends. */
const madeFor = (options: DeskOptions) => {
  if (options.owner && options.preset !== 'support' && options.preset !== 'all')
    throw new UsageError(`--owner is everything that the preset all may do: leave --preset ${options.preset} out.`);
  const invitedUntil = options.invite?.();
  if (invitedUntil !== undefined && Date.parse(invitedUntil) <= now())
    throw new UsageError(`--invite must be in the future: ${invitedUntil} is over.`);
  const given = expiryOf(options);
  if (invitedUntil === undefined) return { name: `desk ${timestamp(now())}`, expiresAt: given ?? parseEnd('12h')() };
  const name = `${options.owner ? 'owner' : options.preset} ${timestamp(now()).slice(0, 10)}`;
  return { name, invitedUntil, expiresAt: given ?? parseEnd('365d')() };
};

/**
 * Issues a key or makes an invitation, and prints a link with it. The key or the code is in the link's fragment, which
 * no browser sends.
 */
const openDesk = async (options: DeskOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const made = madeFor(options);
  if (target.deskUrl === undefined)
    throw new Failure(`${target.name} has no desk: deploy it with desk=true (docs/operate/deploy.md).`);
  const log = await openLog(target);
  const { key, text } = await issueKey(
    { store: store.id, scopes: scopesOf(options), stage: target.keyStage, ...made },
    (issued) => log('key.issued', store.id, keyFacts(issued)),
  );
  const { invitedUntil } = key;
  const link = `${target.deskUrl}#${invitedUntil === undefined ? 'key' : 'invitation'}=${text}`;
  if (isJson()) return print({ ...shown(key, target), link }, []);
  noteRights(key.scopes);
  note(
    invitedUntil === undefined
      ? `This link signs in at the desk of ${store.name} until ${shownTime(key.expiresAt)}. It holds a key: pass it on as you would a password. Browsers keep links in their history: Sign out ends the key.`
      : `This link invites one person to the desk of ${store.name}. It works once, until ${shownTime(invitedUntil)}, and gives them a key that ends ${shownTime(key.expiresAt)}.`,
  );
  process.stdout.write(`${link}\n`);
};

export const addDesk = (program: StoreCommand): void => {
  program
    .command('desk')
    .description(
      'Prints a link to the desk, the web app of the store: it signs in with a new key, or invites a person.',
    )
    .addOption(presetOption().default('support'))
    .option('--owner', 'an owner’s link: everything, and to make and revoke keys')
    .addOption(
      new Option('--invite <when>', 'an invitation, which one person can accept until then, such as 7d').argParser(
        parseEnd,
      ),
    )
    .addOption(expiresOption())
    .addHelpText(
      'after',
      `\nThe key ends after 12h, that of an invitation after 365d, unless --expires says when.\n${presetHelp}`,
    )
    .examples(
      'store desk',
      'store desk --stage prod --preset support --expires 12h',
      'store desk --owner --expires 1h',
      'store desk --preset manager --invite 7d',
    )
    .runs(openDesk);
};
