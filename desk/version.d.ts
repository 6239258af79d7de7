/** The version of the service that the desk is bundled with (`infra/desk.ts`). */
declare const serviceVersion: string;
