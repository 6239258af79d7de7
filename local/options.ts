import { Command, InvalidArgumentError, Option } from 'commander';

export interface LocalOptions {
  port: number;
  dataDir: string;
  memory: boolean;
  reset: boolean;
  demo: boolean;
  rate: number;
  burst: number;
}

const numberFrom =
  (min: number, max: number, whole = true) =>
  (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max) || (whole && !Number.isInteger(value)))
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
    return value;
  };

// A flag's variable switches it on whatever it holds; these values are meant to leave it off.
const off = new Set(['', '0', 'false', 'no']);
const flagVariables = ['SIS_MEMORY', 'SIS_RESET', 'SIS_NO_DEMO'];

/** Reads the options of `npm start`; ends the process with a message where one is wrong, and for --help. */
export const readOptions = (argv: readonly string[]): LocalOptions => {
  for (const name of flagVariables) if (off.has(process.env[name] ?? '')) delete process.env[name];
  return new Command('npm start --')
    .description('Serves the whole API on this machine, on an embedded engine with demo data.')
    .addOption(
      new Option('--port <number>', 'port on 127.0.0.1; 0 takes any free one')
        .env('SIS_PORT')
        .default(4000)
        .argParser(numberFrom(0, 65535)),
    )
    .addOption(
      new Option('--data-dir <path>', 'where data is kept between starts, and service.json written')
        .env('SIS_DATA_DIR')
        .default('.local'),
    )
    .addOption(new Option('--memory', 'keep nothing: data lives in memory').env('SIS_MEMORY').default(false))
    .addOption(new Option('--reset', 'delete what was kept and start anew').env('SIS_RESET').default(false))
    .addOption(new Option('--no-demo', 'start without demo rows').env('SIS_NO_DEMO'))
    .addOption(
      new Option('--rate <number>', 'requests per second and endpoint before 429, in the long run; one store gets half')
        .env('SIS_RATE')
        .default(10_000)
        .argParser(numberFrom(0.1, 1_000_000, false)),
    )
    .addOption(
      new Option('--burst <number>', 'requests at once before 429')
        .env('SIS_BURST')
        .default(5_000)
        .argParser(numberFrom(1, 1_000_000)),
    )
    .allowExcessArguments(false)
    .showHelpAfterError('Run npm start -- --help for all options.')
    .parse([...argv], { from: 'user' })
    .opts<LocalOptions>();
};
