import { type Command, Option } from 'commander';
import { scopes } from '../../lib/routes/route.ts';
import { issueKey } from '../../lib/store/api-keys.ts';
import { createStore, listStores, type Store } from '../../lib/store/stores.ts';
import { ask } from '../ask.ts';
import { type DeleteOptions, deleteWithData } from '../delete-store.ts';
import { printNewKey } from '../keys.ts';
import { nameFault, parseName } from '../names.ts';
import { type Column, examples, Failure, isJson, note, print, shownTime } from '../output.ts';
import { chooseStore, connect, type GlobalOptions } from '../target.ts';

const shownState = ({ deletedAt }: Store): string =>
  deletedAt ? `deleted ${shownTime(deletedAt)}, but not all of it is removed` : 'active';

const columns: Column<Store>[] = [
  { heading: 'name', cell: ({ name }) => name, wraps: true },
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'created', cell: ({ createdAt }) => shownTime(createdAt) },
  { heading: 'state', cell: shownState, style: ({ deletedAt }) => (deletedAt ? 'yellow' : 'green'), wraps: true },
];

const create = async (given: string | undefined, options: GlobalOptions & { key: boolean }): Promise<void> => {
  const target = await connect(options);
  const name =
    given ?? (await ask('What is the name of the store?', 'the name, as in store create "My Store"', nameFault));
  const same = (await listStores()).find((store) => store.name.toLowerCase() === name.trim().toLowerCase());
  if (same) throw new Failure(`${target.name} has a store ${same.name} (${same.id}) already. Choose another name.`);
  const store = await createStore(name.trim());
  if (!isJson()) note(`Created the store ${store.name} (${store.id}) on ${target.name}: ${target.baseUrl}/v1`);
  if (!options.key) return print(store, columns);
  const { key, text } = await issueKey({ store: store.id, name: 'first key', scopes, stage: target.keyStage });
  printNewKey(key, text, target, { store });
};

export const addStores = (program: Command): void => {
  program
    .command('create')
    .description('Creates a store and issues its first API key, which may do everything.')
    .argument('[name]', 'the name of the store; asked for on a terminal', parseName)
    .option('--no-key', 'issue no key')
    .addHelpText('after', examples('store create "My Store"', 'store create "My Store" --stage prod --json'))
    .action((name: string | undefined, _, command: Command) => create(name, command.optsWithGlobals()));

  program
    .command('list')
    .description('Lists the stores.')
    .addHelpText('after', examples('store list', 'store list --stage prod --json'))
    .action(async (_, command: Command) => {
      await connect(command.optsWithGlobals());
      print(await listStores(), columns, 'There is no store yet. Make one: store create "My Store"');
    });

  program
    .command('delete')
    .description('Exports a store and then deletes it, with all its data and keys. Run it again if it was interrupted.')
    .argument('[store]', 'id or name of the store')
    .option('--confirm <name>', 'the name of the store, where there is no terminal to ask for it at')
    .addOption(
      new Option('--export-to <directory>', 'where the export goes (default: ./<store>-<date>)').argParser(String),
    )
    .option('--no-wait', 'do not wait for calls under way: what they still write stays in the table')
    .addHelpText(
      'after',
      examples('store delete "My Store"', 'store delete "My Store" --confirm "My Store" --export-to backup'),
    )
    .action(async (wanted: string | undefined, _, command: Command) => {
      const options: GlobalOptions & DeleteOptions = command.optsWithGlobals();
      const target = await connect(options);
      await deleteWithData(await chooseStore(wanted ?? options.store, true), target, options);
    });
};
