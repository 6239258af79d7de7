import { SignatureV4 } from '@smithy/signature-v4';
import { now } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { logSink } from '../log.ts';
import { db } from '../table/client.ts';
import { newMeter, requestMeter } from '../table/meter.ts';

/** A question to a store's dispenser: which avatar has this name or UUID. */
export interface LookUp {
  store: string;
  identifier: Identifier;
  /** The request changes nothing. Some of a store's look-ups are kept for requests that change something. */
  isRead: boolean;
  /** The id of the request's API key; undefined outside a request. */
  keyId?: string | undefined;
  /** How long the caller waits for the answer. */
  millis: number;
}

export interface LookUpAnswer {
  resident?: { uuid: string; username: string };
  /** The dispenser answered that there is nobody. */
  isNobody?: true;
  /** The store has no dispenser to ask, or only an old one. If none of the three is set, there was no answer. */
  isUnasked?: true;
}

/** The time that a request spends on all its look-ups together; a test of their answers gives them more. */
export const lookUpTime = { millis: 3000 };

/** Look-ups of one request that run side by side. Each of them keeps an execution of Lambda busy. */
const sideBySide = 5;

const nobodyMillis = 60_000;
const nobodySize = 10_000;
/** Identifiers that belong to nobody, and the time until which they are not asked for again. */
const nobody = new Map<string, number>();

export const forgetNobody = (): void => nobody.clear();

/**
 * Calls the function that asks the dispenser. Only that function may read the dispenser's secret. Lambda's client would
 * add 115 KB to a bundle for this one call; the signer is in the bundle already.
 */
const invoke = async (functionUrl: string, lookUp: LookUp): Promise<LookUpAnswer> => {
  const { credentials, region, sha256, requestHandler, streamCollector } = db.config;
  const { protocol, host, hostname, port, pathname } = new URL(functionUrl);
  const request = {
    method: 'POST',
    protocol,
    hostname,
    path: pathname,
    query: {},
    headers: { host },
    ...(port !== '' && { port: Number(port) }),
    body: JSON.stringify(lookUp),
  };
  const signed = await new SignatureV4({ credentials, region, sha256, service: 'lambda' }).sign(request);
  const { response } = await requestHandler.handle(signed, { abortSignal: AbortSignal.timeout(lookUp.millis) });
  const text = new TextDecoder().decode(await streamCollector(response.body));
  if (response.statusCode !== 200 || response.headers['x-amz-function-error'])
    throw new Error(`The look-up failed with ${response.statusCode}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as LookUpAnswer;
};

// A look-up waits for the one before it in its lane.
const lanes: Promise<unknown>[] = Array.from({ length: sideBySide }, () => Promise.resolve());
let lookUps = 0;

const ask = (functionUrl: string, store: string, identifier: Identifier): Promise<LookUpAnswer> => {
  const meter = requestMeter() ?? newMeter();
  meter.lookUpEnd ??= performance.now() + lookUpTime.millis;
  const end = meter.lookUpEnd;
  const lane = lookUps++ % sideBySide;
  const answer = (lanes[lane] ?? Promise.resolve()).then(async () => {
    const millis = Math.floor(end - performance.now());
    return millis > 0
      ? invoke(functionUrl, { store, identifier, isRead: meter.isRead, keyId: meter.keyId, millis })
      : {};
  });
  lanes[lane] = answer.catch(() => undefined);
  return answer;
};

/** The look-ups under way: one request may name an avatar twice. */
const running = new Map<string, Promise<LookUpAnswer>>();

/** Has the store's dispenser asked for an avatar. Never throws: a failure counts as no answer. */
export const askFor = async (store: string, identifier: Identifier): Promise<LookUpAnswer> => {
  const functionUrl = process.env.RESIDENT_LOOKUP_URL;
  if (functionUrl === undefined) return { isUnasked: true };
  const key = `${store} ${identifier.uuid ?? identifier.username}`;
  if (now() < (nobody.get(key) ?? 0)) return { isNobody: true };
  const answer = running.get(key) ?? ask(functionUrl, store, identifier);
  running.set(key, answer);
  try {
    const answered = await answer;
    if (answered.isNobody) {
      if (nobody.size >= nobodySize) nobody.clear();
      nobody.set(key, now() + nobodyMillis);
    }
    return answered;
  } catch (error) {
    logSink.write({ level: 'WARN', lookUp: 'failed', store, stack: (error as Error).stack });
    return {};
  } finally {
    running.delete(key);
  }
};

/**
 * Asks the store's dispenser for an avatar that neither the operator nor the store was told about. Undefined if the
 * dispenser knows nobody, does not answer in time, or may not be asked now: the identifier is then unknown. Never
 * throws.
 */
export const lookUp = async (store: string, identifier: Identifier): Promise<LookUpAnswer['resident']> =>
  (await askFor(store, identifier)).resident;
