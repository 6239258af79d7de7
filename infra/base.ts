import type { Stack } from 'aws-cdk-lib';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Data } from './data.ts';
import { ServiceFunction, type ServiceFunctionProps, type SharedProps } from './service-function.ts';
import type { Settings } from './settings.ts';

/** The stack with its settings, its table and its queues: all other parts are built on it. */
export interface Base {
  stack: Stack;
  settings: Settings;
  /** The merchant's own key, if the settings ask for one. */
  key: Key | undefined;
  data: Data;
  codeOf: SharedProps['codeOf'];
}

/** Adds the function of an entry under `functions/`. */
export const addFunction = (
  { stack, settings, key, data, codeOf }: Base,
  entry: string,
  props: Omit<ServiceFunctionProps, 'entry' | keyof SharedProps>,
): ServiceFunction =>
  new ServiceFunction(stack, entry.replace('/', '-'), {
    settings,
    tableName: data.table.tableName,
    key,
    codeOf,
    entry,
    ...props,
  });

/** The variables of a function that orders deliveries. */
export const queueUrls = ({ data: { queue, deadLetters } }: Base) => ({
  DELIVERY_QUEUE_URL: queue.queueUrl,
  DELIVERY_DLQ_URL: deadLetters.queueUrl,
});

/** The variables of a function that calls dispensers. */
export const dispenserHosts = ({ settings: { dispenserHostSuffixes } }: Base): Record<string, string> =>
  dispenserHostSuffixes ? { DISPENSER_HOST_SUFFIXES: dispenserHostSuffixes } : {};
