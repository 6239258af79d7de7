import { Option } from 'commander';
import packageFile from '../../../package.json' with { type: 'json' };
import { addApi } from '../commands/api.ts';
import { addAudit } from '../commands/audit.ts';
import { addCategories } from '../commands/categories.ts';
import { addCompletion } from '../commands/completion.ts';
import { addConvert } from '../commands/convert.ts';
import { addCredit } from '../commands/credit.ts';
import { addDays } from '../commands/days.ts';
import { addDeliveries } from '../commands/deliveries.ts';
import { addDesk } from '../commands/desk.ts';
import { addDispenser } from '../commands/dispenser.ts';
import { addDoctor } from '../commands/doctor.ts';
import { addGroup } from '../commands/endpoints.ts';
import { addExport } from '../commands/export.ts';
import { addImport } from '../commands/import.ts';
import { addJournal } from '../commands/journal.ts';
import { addKeys } from '../commands/keys.ts';
import { addListen } from '../commands/listen.ts';
import { addLog } from '../commands/log.ts';
import { addMove } from '../commands/move.ts';
import { addPayouts } from '../commands/payouts.ts';
import { addProducts } from '../commands/products.ts';
import { addReconcile } from '../commands/reconcile.ts';
import { addReport } from '../commands/report.ts';
import { addResidents } from '../commands/residents.ts';
import { addRestoreCheck } from '../commands/restore-check.ts';
import { addRestoreTable } from '../commands/restore-table.ts';
import { addStores } from '../commands/stores.ts';
import { addSweep } from '../commands/sweep.ts';
import { addTrigger } from '../commands/trigger.ts';
import { addVerify } from '../commands/verify.ts';
import { StoreCommand } from '../terminal/command.ts';
import { firstSentence } from '../terminal/completion.ts';
import { setJson, shownError } from '../terminal/output.ts';

/** Adds a group whose commands are all made from endpoints. */
const endpoints = (name: Parameters<typeof addGroup>[1]) => (program: StoreCommand) => void addGroup(program, name);

/** The groups of commands in the help. */
const groups: [heading: string, adds: ((program: StoreCommand) => void)[]][] = [
  ['Stores and keys:', [addStores, addKeys, addDesk]],
  ['Customers:', [addResidents, endpoints('customer'), addCredit, endpoints('giftcards')]],
  [
    'Sales:',
    [
      addProducts,
      endpoints('sales'),
      addReport,
      addPayouts,
      addReconcile,
      addDeliveries,
      addDispenser,
      endpoints('vendors'),
    ],
  ],
  ['Files:', [addMove, addImport, addExport, addConvert]],
  ['For programs:', [addApi, endpoints('webhooks'), addListen, addTrigger]],
  [
    'Care:',
    [
      addDoctor,
      addVerify,
      addLog,
      addJournal,
      addAudit,
      addDays,
      addSweep,
      addCategories,
      addRestoreTable,
      addRestoreCheck,
      addCompletion,
    ],
  ],
];

/** Makes the command `store`, with which an operator manages a deployment on this machine or on AWS. */
export const createProgram = (): StoreCommand => {
  const program = new StoreCommand('store')
    .description('Manages the stores of a deployment: keys, credit, sales, deliveries, import and export.')
    .addOption(
      new Option('--local', 'the service that npm start runs here (the default while it runs)').conflicts('stage'),
    )
    .option('--stage <name>', 'a deployment on AWS, such as prod')
    .addOption(
      new Option('--data-dir <path>', 'where the local service keeps its data').env('SIS_DATA_DIR').default('.local'),
    )
    .addOption(
      new Option(
        '--store <id or name>',
        'the store; not needed where there is only one, nor for the demo store of the local service',
      ).env('SIS_STORE'),
    )
    .option('--json', 'print JSON: one object, or one per line')
    .version(packageFile.version, '-V, --version', 'print the version')
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      // The command's own help has the other sentences.
      subcommandDescription: (command) => firstSentence(command.description()),
    })
    .configureOutput({ outputError: (text, write) => write(shownError(text)) })
    .showHelpAfterError('Add --help to see what the command takes.')
    .addHelpText(
      'after',
      '\nRun it as npx store, or as ./store, which answers sooner. Help on one command: npx store key issue --help',
    )
    .exitOverride()
    .hook('preAction', (_, action) => setJson(action.optsWithGlobals().json === true));

  for (const [heading, adds] of groups) {
    program.commandsGroup(heading);
    for (const add of adds) add(program);
  }
  return program;
};
