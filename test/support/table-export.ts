import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';

/** Writes items as DynamoDB's export to Amazon S3 does, in DynamoDB JSON, over so many data files. */
export const writeExport = (directory: string, items: readonly Record<string, unknown>[], files = 3): void => {
  mkdirSync(join(directory, 'data'), { recursive: true });
  const manifest = Array.from({ length: files }, (_, file) => {
    const part = items.filter((_, index) => index % files === file);
    const text = part.map((item) => `${JSON.stringify({ Item: marshall(item, { removeUndefinedValues: true }) })}\n`);
    const content = gzipSync(text.join(''));
    const name = `${randomUUID()}.json.gz`;
    writeFileSync(join(directory, 'data', name), content);
    return {
      itemCount: part.length,
      md5Checksum: createHash('md5').update(content).digest('base64'),
      etag: `${createHash('md5').update(content).digest('hex')}-1`,
      dataFileS3Key: `prod/AWSDynamoDB/01700000000000-a1b2c3d4/data/${name}`,
    };
  });
  writeFileSync(join(directory, 'manifest-files.json'), manifest.map((file) => `${JSON.stringify(file)}\n`).join(''));
};
