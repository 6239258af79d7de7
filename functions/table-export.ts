import { logSink } from '../lib/log.ts';
import { askForIncrement } from '../lib/table/increments.ts';

/** Runs every hour: asks DynamoDB for an increment of the table's daily export. DynamoDB writes the files later. */
export const handler = async (): Promise<void> => {
  const {
    EXPORT_TABLE: table = '',
    EXPORT_BUCKET: bucket = '',
    EXPORT_OWNER: owner,
    EXPORT_PREFIX: prefix = '',
  } = process.env;
  try {
    logSink.write({ level: 'INFO', increment: await askForIncrement({ table, bucket, owner, prefix }) });
  } catch (error) {
    logSink.write({ level: 'ERROR', increment: 'failed', stack: error instanceof Error ? error.stack : String(error) });
    throw error;
  }
};
