/** Points this process's AWS SDK to the engines of a local service, which accept any credentials. */
export const useLocalEngines = (table: string, queue: string): void => {
  Object.assign(process.env, {
    AWS_REGION: process.env.AWS_REGION ?? 'us-east-1',
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'local',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? 'local',
    AWS_ENDPOINT_URL_DYNAMODB: table,
    AWS_ENDPOINT_URL_SQS: queue,
    DISPENSER_LOOPBACK: 'allowed',
    KEY_STAGE: 'test',
  });
  // The SDK would prefer this profile's credentials to the ones above.
  delete process.env.AWS_PROFILE;
};
