import { build, type Order } from './build.ts';
import { LaunchError } from './faults.ts';
import { ownHands } from './hands.ts';

/** Runs the build of deploy/launch.yaml, in the folder of the release. launch.yaml sets its variables. */

const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new LaunchError(`The build has no variable ${name}: start it by the stack alone.`);
  return value;
};

const orderOf = (): Order => ({
  act: variable('ACT') as Order['act'],
  release: variable('RELEASE'),
  storeName: variable('STORE_NAME'),
  email: variable('EMAIL'),
  firewall: variable('FIREWALL') === 'yes',
  settings: variable('SETTINGS'),
  region: variable('AWS_REGION'),
  launch: variable('LAUNCH'),
  rights: variable('RIGHTS'),
  exports: variable('EXPORTS'),
});

try {
  await build(ownHands, orderOf());
} catch (error) {
  const { message, cause } = error as Error;
  // CloudFormation shows the last lines of the build, and this sentence must be among them.
  if (cause instanceof Error) console.log(cause.message.slice(-600));
  console.log(`error: ${message}`);
  process.exitCode = 1;
}
