import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { routes } from '../lib/routes/routes.ts';
import { bundle, bundleDir, entries } from './bundle.ts';
import { bundleDesk } from './desk.ts';
import { acknowledge } from './nag.ts';
import { filesIn, noticesOf } from './notices.ts';
import { readSettings, SettingsError } from './settings.ts';
import { StoreServiceStack } from './store-service-stack.ts';

const app = new App();

/** Reads the settings. If they are wrong, prints only their faults, which the CDK shows, and ends the process. */
const settingsOrEnd = () => {
  try {
    // The CDK tells its application the region that it deploys to.
    return readSettings(app.node.getAllContext(), process.env.CDK_DEFAULT_REGION);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
};

const settings = settingsOrEnd();
const outDir = join(import.meta.dirname, '../.bundles');
// The stack names no account and no region, so one template serves all, and the CDK looks nothing up.
const { metafile } = await bundle(outDir, entries());
if (settings.desk) {
  const files = await bundleDesk('deployed', settings.releases);
  writeFileSync(join(bundleDir(outDir, 'desk'), 'desk.json'), JSON.stringify(files));
}

// A release publishes the assembly, and these licences must go with every copy of the bundles.
const first = 'The functions are made with these packages. The desk has a list of its own: desk/notices.txt.';
const packaged = filesIn(metafile).map((file) => join(import.meta.dirname, '..', file));
writeFileSync(join(app.outdir, 'NOTICES.txt'), noticesOf(first, packaged));

const stack = new StoreServiceStack(app, `store-integration-${settings.stage}`, {
  settings,
  routes,
  codeOf: (entry) => Code.fromAsset(bundleDir(outDir, entry)),
  description: 'Store Integration Service',
});
acknowledge(stack);
