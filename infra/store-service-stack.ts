import { type CfnResource, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct, IConstruct } from 'constructs';
import type { Route } from '../lib/routes/route.ts';
import type { Base } from './base.ts';
import { addExports, addIncrements } from './copies.ts';
import { Data } from './data.ts';
import { addWorker } from './deliveries.ts';
import { addApi, addEndpoints, addLookUp, type Endpoint } from './endpoints.ts';
import { addDomain, addFirewall } from './extras.ts';
import { Operation } from './operation.ts';
import { addOutputs } from './outputs.ts';
import { addSweep } from './schedules.ts';
import type { Settings } from './settings.ts';
import { addConsumer, addEventBus } from './stream-readers.ts';

export interface StoreServiceProps extends StackProps {
  settings: Settings;
  routes: readonly Route[];
  codeOf: (entry: string) => Code;
}

/** The whole service. */
export class StoreServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: StoreServiceProps) {
    const { settings, routes, codeOf } = props;
    // A deletion would take the API's address and leave table and queues without a service.
    super(scope, id, { terminationProtection: true, tags: stackTags(settings), ...props });
    for (const [name, value] of Object.entries(stackTags(settings))) Tags.of(this).add(name, value);

    // The table and the queues.
    const key = settings.ownEncryptionKey ? encryptionKey(this) : undefined;
    const data = new Data(this, 'Data', settings, key);
    const base: Base = { stack: this, settings, key, data, codeOf };

    // The functions that answer requests.
    const lookUp = addLookUp(base);
    const endpoints = addEndpoints(base, routes, lookUp);

    // The functions that do the rest afterwards: they deliver, sweep every minute, and read the table's stream.
    const worker = addWorker(base);
    const sweep = addSweep(base);
    const { consumer, stream } = addConsumer(base);
    const bus = addEventBus(base);
    deployAfter([worker.lambda, sweep.lambda, consumer.lambda, stream], endpoints);

    // The copies of the table: a whole one every day, the changes every hour.
    const exports = addExports(base);
    const increments = addIncrements(base);

    // The address at which clients reach the endpoints.
    const api = addApi(base, routes, endpoints);
    if (settings.firewall) addFirewall(this, api.rest, settings);
    const domain = addDomain(this, api.rest, settings);

    // The alarms, and what the operator needs to know.
    const watched = { settings, api, data, endpoints, lookUp, worker, sweep, consumer, bus, exports, increments };
    const { topic } = new Operation(this, 'Operation', watched);
    addOutputs(base, api, domain, topic);
  }
}

const encryptionKey = (stack: Stack): Key =>
  new Key(stack, 'Key', { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN });

/** The tags tell what a deployment costs apart from everything else in the account: docs/operate/costs.md. */
const stackTags = ({ stage }: Settings) => ({ service: 'store-integration', stage });

/** An update deploys readers before the endpoints whose messages they read: docs/adr/0042-later-shapes.md. */
const deployAfter = (readers: readonly IConstruct[], endpoints: readonly Endpoint[]): void => {
  const resourceOf = ({ node }: IConstruct): CfnResource => node.defaultChild as CfnResource;
  for (const { fn } of endpoints)
    for (const reader of readers) resourceOf(fn.lambda).addResourceDependency(resourceOf(reader));
};
