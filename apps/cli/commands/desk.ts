import { now, timestamp } from '../../../lib/clock.ts';
import { type PresetName, presets } from '../../../lib/routes/key-presets.ts';
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
import { Failure } from '../terminal/errors.ts';
import { parseEnd } from '../terminal/input.ts';
import { isJson, note, print, shownTime } from '../terminal/output.ts';

interface DeskOptions extends ExpiryOptions {
  preset: PresetName;
}

/** Issues a key, and prints a link that signs in with it. The key is in the link's fragment, which no browser sends. */
const openDesk = async (options: DeskOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const end = expiryOf(options);
  if (target.deskUrl === undefined)
    throw new Failure(`${target.name} has no desk: deploy it with desk=true (docs/operate/deploy.md).`);
  const log = await openLog(target);
  const { key, text } = await issueKey(
    {
      store: store.id,
      name: `desk ${timestamp(now())}`,
      scopes: presets[options.preset].scopes,
      stage: target.keyStage,
      expiresAt: end,
    },
    (issued) => log('key.issued', store.id, keyFacts(issued)),
  );
  const link = `${target.deskUrl}#key=${text}`;
  if (isJson()) return print({ ...shown(key, target), link }, []);
  noteRights(key.scopes);
  note(
    `This link signs in at the desk of ${store.name} until ${shownTime(key.expiresAt)}. It holds a key: pass it on as you would a password. Browsers keep links in their history: Sign out ends the key.`,
  );
  process.stdout.write(`${link}\n`);
};

export const addDesk = (program: StoreCommand): void => {
  program
    .command('desk')
    .description('Prints a link that signs in at the desk, the web app of the store, with a new key.')
    .addOption(presetOption().default('support'))
    .addOption(expiresOption().default(parseEnd('12h'), '12h'))
    .addHelpText('after', presetHelp)
    .examples(
      'store desk',
      'store desk --stage prod --preset support --expires 12h',
      'store desk --preset all --expires 1h',
    )
    .runs(openDesk);
};
