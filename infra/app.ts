import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { routes } from '../lib/routes/routes.ts';
import { bundle, bundleDir, entries, exists } from './bundle.ts';
import { readSettings } from './settings.ts';
import { StoreServiceStack } from './store-service-stack.ts';

const app = new App();
const settings = readSettings(app.node.getAllContext());
const outDir = join(import.meta.dirname, '..', '.bundles');
await bundle(outDir, entries());

new StoreServiceStack(app, `store-integration-${settings.stage}`, {
  settings,
  routes,
  exists,
  codeOf: (entry) => Code.fromAsset(bundleDir(outDir, entry)),
  description: 'Store Integration Service',
  tags: { service: 'store-integration', stage: settings.stage },
  // The same template serves every account and region: nothing is looked up.
  env: {},
});
