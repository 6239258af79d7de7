import { styleText } from 'node:util';
import { openBrowser } from './start/browser.ts';
import { explainFailure } from './start/failures.ts';
import { readOptions } from './start/options.ts';
import { mayReset } from './start/reset.ts';
import { deskLink, findRunning } from './start/running.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours a text if the terminal has colours (and NO_COLOR is not set). */
const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

const statusStyle = (status: number): Style => (status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green');

// Only the owner may use files that this process and its engines make.
const umask = process.umask(0o077);
const options = readOptions(process.argv.slice(2));

const fail = async (error: unknown): Promise<never> => {
  console.error(paint('red', `error: ${await explainFailure(error as Error, options)}`));
  process.exit(1);
};

const first = await findRunning(options.dataDir);
if (first) {
  console.error(`
The local service runs here already, as process ${first.pid}:

  Desk       ${paint('cyan', first.link)}

Ctrl-C in its terminal ends it. Another one beside it needs data of its own: npm start -- --port 0 --data-dir other
`);
  if (options.open) openBrowser(first.link, umask);
  process.exit(1);
}
if (options.reset && !(await mayReset(options.dataDir))) process.exit(1);

const started = performance.now();
// Loaded after the options are read, since loading takes twenty times as long as an answer to --help.
const { startService } = await import('./start/service.ts');
const running = await startService(options, ({ method, url, status, millis, calls, units }) => {
  const time = new Date().toTimeString().slice(0, 8);
  const cost = calls === undefined ? '' : `  ${calls} ${calls === 1 ? 'call' : 'calls'}, ${units} units`;
  const line = `${paint('dim', time)}  ${paint(statusStyle(status), String(status))}  ${method.padEnd(6)} ${url}`;
  console.log(`${line}${paint('dim', `  ${millis} ms${cost}`)}`);
}).catch(fail);

const { baseUrl, service, engine } = running;
// Without the option, the command `store` looks into .local.
const dataDirOption =
  options.dataDir === '.local' ? '' : ` --data-dir '${options.dataDir.replaceAll("'", String.raw`'\''`)}'`;
const kept = options.memory ? 'in memory, gone at the end' : `kept in ${options.dataDir}`;
console.log(`
${paint('bold', 'Store Integration Service')}, ready after ${Math.ceil((performance.now() - started) / 1000)} s

  Desk       ${paint('cyan', deskLink(service))}
             ${paint('dim', 'the web app of a store; the link signs you in. Keep this terminal open')}

For developers:

  Requests   ${paint('cyan', `${baseUrl}/desk#/requests`)} ${paint('dim', '(as they happen; clock, faults)')}
  Reference  ${paint('cyan', `${baseUrl}/docs`)}
  Base URL   ${paint('cyan', baseUrl)} ${paint('dim', '(the endpoints are under /v1)')}
  Key        ${service.keys.all}
             ${paint('dim', `all scopes; more keys, stores and residents in ${options.dataDir}/service.json`)}
  Engine     ${engine}, data ${kept}

Credit of a customer:

  curl -H 'X-API-Key: ${service.keys.all}' '${baseUrl}/v1/customers/vera.vendor/credit'

Give credit to a stranger ${paint('dim', `(any of a million made-up avatars: ${baseUrl}/_dev/grid)`)}:

  curl -H 'X-API-Key: ${service.keys.all}' -d '{"delta": 100}' '${baseUrl}/v1/customers/sven61.arch8/actions/increment-credit'

Look after stores, keys and data:

  npx store list${dataDirOption}
  npx store --help

Ctrl-C ends it.
`);
if (options.open) openBrowser(deskLink(service), umask);

let stopping: number | undefined;
const stop = async (): Promise<void> => {
  // npm may pass one Ctrl-C on twice within a second. A later one is a person's, and ends the process at once.
  if (stopping !== undefined && performance.now() - stopping > 1000) process.exit(1);
  if (stopping !== undefined) return;
  stopping = performance.now();
  await running.stop();
  console.log('Stopped.');
  process.exit(0);
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
running.onEngineExit(() => {
  if (stopping === undefined)
    fail(new Error(`The engine (${engine}) ended by itself. Start again; what was written is kept.`));
});
