import { Command, InvalidArgumentError, Option } from 'commander';
import { areCorsOrigins, corsOriginsWords } from '../../infra/cors.ts';
import { isTextureUrl, textureUrlWords } from '../../lib/http/desk.ts';

export interface LocalOptions {
  port: number;
  dataDir: string;
  memory: boolean;
  reset: boolean;
  demo: boolean;
  rate: number;
  burst: number;
  cors?: string;
  textures?: string;
}

/** The options of the command line, in addition to the service's own. */
export interface StartOptions extends LocalOptions {
  /** Open the desk in the browser. */
  open: boolean;
}

const numberFrom =
  (min: number, max: number, whole = true) =>
  (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max) || (whole && !Number.isInteger(value)))
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
    return value;
  };

const parseOrigins = (text: string): string => {
  if (!areCorsOrigins(text)) throw new InvalidArgumentError(`It ${corsOriginsWords}.`);
  return text;
};

const parseTextures = (text: string): string => {
  if (!isTextureUrl(text)) throw new InvalidArgumentError(`It ${textureUrlWords}.`);
  return text;
};

const number = (flag: string, text: string, preset: number, parse: (text: string) => number): Option =>
  new Option(`--${flag} <number>`, text).env(`SIS_${flag.toUpperCase()}`).default(preset).argParser(parse);

const flag = (name: string, text: string): Option => {
  const variable = `SIS_${name.replace('-', '_').toUpperCase()}`;
  // Commander takes every value of a flag's variable as "on".
  if (['', '0', 'false', 'no'].includes(process.env[variable] ?? '')) delete process.env[variable];
  return new Option(`--${name}`, text).env(variable);
};

/**
 * Finds options that npm took for its own, since no `--` came before them. npm passes them on in its variables; a value
 * after a space stays behind as an argument. If the option is given too, the variable comes from elsewhere, such as an
 * .npmrc.
 */
const keptByNpm = (command: Command, argv: readonly string[]): string[] => {
  const values = argv.filter((word) => !word.startsWith('-'));
  return command.options.flatMap(({ long = '', negate, flags }) => {
    const name = long.replace(negate ? /^--no-/ : /^--/, '');
    const value = process.env[`npm_config_${name.replaceAll('-', '_')}`];
    if (value === undefined || argv.some((word) => word === long || word.startsWith(`${long}=`))) return [];
    if (!flags.includes('<')) return value === (negate ? '' : 'true') ? [long] : [];
    return [`${long} ${value === 'true' ? (values.shift() ?? '<value>') : value}`];
  });
};

const createCommand = (): Command =>
  new Command('npm start --')
    .description('Serves the whole API on this machine, on an embedded engine with demo data.')
    .addOption(number('port', 'port on 127.0.0.1; 0 takes any free one', 4000, numberFrom(0, 65535)))
    .addOption(
      new Option('--data-dir <path>', 'directory for service.json and the data').env('SIS_DATA_DIR').default('.local'),
    )
    .addOption(flag('memory', 'keep data in memory only').default(false))
    .addOption(flag('reset', 'delete the kept data first').default(false))
    .addOption(flag('no-demo', 'start without demo rows'))
    .addOption(flag('no-open', 'do not open the desk in the browser'))
    .addOption(
      number(
        'rate',
        'sustained requests per second and endpoint before 429; one store gets half of it for all endpoints',
        10_000,
        numberFrom(0.1, 1_000_000, false),
      ),
    )
    .addOption(number('burst', 'requests at once before 429', 5_000, numberFrom(1, 1_000_000)))
    .addOption(
      new Option('--cors <origins>', 'origins, with commas between them, whose pages may call the API; * for all')
        .env('SIS_CORS')
        .argParser(parseOrigins),
    )
    .addOption(
      new Option('--textures <address>', 'https address of pictures of products, with {uuid} for the texture')
        .env('SIS_TEXTURES')
        .argParser(parseTextures),
    )
    .allowExcessArguments(false)
    .showHelpAfterError('Run npm start -- --help for all options.');

/** Reads the options of `npm start`. Ends the process with a message for a wrong option, and for --help. */
export const readOptions = (argv: readonly string[]): StartOptions => {
  const command = createCommand();
  const kept = process.env.npm_lifecycle_event === 'start' ? keptByNpm(command, argv) : [];
  if (kept.length > 0)
    command.error(
      `error: npm keeps options for itself that have no -- before them. Write: npm start -- ${kept.join(' ')}`,
    );
  return command.parse([...argv], { from: 'user' }).opts<StartOptions>();
};
