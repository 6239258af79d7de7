import { beginPayouts } from '../../cli/deployment/begin-payouts.ts';
import { connect } from '../../cli/deployment/target.ts';

/**
 * A process of the world begins the payouts of a store: its arguments are the service's data directory and the store.
 */
const [dataDir = '', store = ''] = process.argv.slice(2);
await connect({ local: true, dataDir });
await beginPayouts(store, false);
