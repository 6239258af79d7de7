/** The version of the service that the desk is bundled with (`infra/desk.ts`). */
declare const serviceVersion: string;

/** An address with the number of the newest release; empty where nobody set one. */
declare const releasesAddress: string;
