import { styleText } from 'node:util';
import { Command, InvalidArgumentError, Option } from 'commander';
import { startDeployment } from './deployment.ts';

const whole =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return value;
  };

const number = (flag: string, text: string, preset: number, min: number, max: number): Option =>
  new Option(`--${flag} <number>`, text).default(preset).argParser(whole(min, max));

interface Options {
  template: string;
  port: number;
  concurrency: number;
  hold: number;
  lines: boolean;
}

const { template, port, concurrency, hold, lines } = new Command('npm run deployed --')
  .description(
    'Runs the synthesised template on this machine: its gateway, its bundles under Lambda’s runtime client, its roles.',
  )
  .option('--template <path>', 'the output of npm run synth', 'cdk.out')
  .addOption(number('port', 'port on 127.0.0.1; 0 takes any free one', 4100, 0, 65535))
  .addOption(number('concurrency', 'functions that run at once; a new AWS account has 10', 10, 1, 1000))
  .addOption(
    number(
      'hold',
      'milliseconds that a transaction holds its items at least: others are refused meanwhile',
      10,
      0,
      10_000,
    ),
  )
  .option('--lines', 'print the log lines of the functions', false)
  .allowExcessArguments(false)
  .showHelpAfterError('Run npm run deployed -- --help for all options.')
  .parse()
  .opts<Options>();

const running = await startDeployment({
  template,
  port,
  concurrency,
  holdMillis: hold,
  onLine: (label, line) => {
    if (lines) console.log(`${styleText('dim', label)}  ${line}`);
  },
  onUse: ({ caller, action, resource, context, isAllowed }) => {
    if (!isAllowed)
      console.error(
        styleText('red', `The role of ${caller} does not allow ${action} on ${resource} ${JSON.stringify(context)}`),
      );
  },
}).catch((error: NodeJS.ErrnoException) => {
  console.error(
    `error: ${error.code === 'EADDRINUSE' ? `Port ${port} is taken. Choose another with --port.` : error.message}`,
  );
  process.exit(1);
});
const stage = running.stack.replace(/^store-integration-/, '');
const variables = Object.entries(running.awsEnvironment).map(([name, value]) => `${name}=${value}`);
console.log(`${running.stack} runs at ${running.baseUrl}, in memory: all is gone at the end.

Make a store and a key, in another terminal:

  export ${variables.join(' ')}
  npx store create "My store" --stage ${stage}

Its functions call port N of this machine as https://loopback-N.agni.secondlife.io: register a dispenser or webhook there.

Ctrl-C ends it.`);

const stop = async (): Promise<void> => {
  await running.stop();
  process.exit(0);
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
