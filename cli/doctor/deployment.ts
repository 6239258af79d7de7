import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { now } from '../../lib/clock.ts';
import { findLastSweep, findOverdue } from '../../lib/credit/sweep.ts';
import { counted } from '../output.ts';
import type { Target } from '../target.ts';
import { type Finding, fail, inWords, ok, warn } from './finding.ts';

/** What the doctor looks at once for a whole deployment, beside its table. */

export const redeploy = 'Deploy again: npx cdk deploy (docs/operate/deploy.md, "Update").';

const manyMessages = 1000;

export const checkQueues = async (): Promise<Finding[]> => {
  const client = new SQSClient({});
  const depthOf = async (QueueUrl: string | undefined): Promise<{ visible: number; inFlight: number }> => {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({
        QueueUrl,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    );
    return {
      visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
    };
  };
  try {
    const [queue, dead] = await Promise.all([
      depthOf(process.env.DELIVERY_QUEUE_URL),
      depthOf(process.env.DELIVERY_DLQ_URL),
    ]);
    const depth = `${queue.visible} deliveries to be taken up, ${queue.inFlight} under way or to be tried again`;
    const letters = dead.visible + dead.inFlight;
    return [
      queue.visible < manyMessages
        ? ok('queue', depth)
        : warn(
            'queue',
            depth,
            'Look whether the worker fails or a dispenser hangs: store deliveries list --state queued',
          ),
      letters === 0
        ? ok('dead letters', 'none')
        : warn(
            'dead letters',
            `${counted(letters, 'message')} could not be handled`,
            'Read them, mend the cause: store deliveries dead-letters',
          ),
    ];
  } finally {
    client.destroy();
  }
};

const sweepLateMillis = 5 * 60_000;

export const checkSweep = async ({ kind }: Target): Promise<Finding[]> => {
  const [last, overdue] = await Promise.all([findLastSweep(), findOverdue()]);
  const ran = last ? `the last one was ${inWords(now() - Date.parse(last.at))} ago` : 'none has run yet';
  const due =
    overdue === undefined ? 'nothing is due' : `credit has been due for ${inWords(now() - Date.parse(overdue))}`;
  const detail = `${ran}; ${due}`;
  if (kind === 'local') {
    const note = `${detail} (here it runs only when asked)`;
    return [overdue === undefined ? ok('sweep', note) : warn('sweep', note, 'Close what has expired: store sweep')];
  }
  if (!last || now() - Date.parse(last.at) > sweepLateMillis)
    return [
      fail(
        'sweep',
        detail,
        'It should run every minute: look at the schedule in EventBridge Scheduler. By hand: store sweep',
      ),
    ];
  if (last.failed > 0)
    return [
      fail(
        'sweep',
        `${detail}; it failed for ${counted(last.failed, 'customer')}`,
        'Its log says whose and why. See store audit.',
      ),
    ];
  return [ok('sweep', detail)];
};

const skewMillis = 5000;

/** Asks the API without a key, which costs nothing: that it answers, and by its time whether this clock is right. */
export const checkApi = async ({ kind, baseUrl }: Target): Promise<Finding[]> => {
  const asked = Date.now();
  const response = await fetch(`${baseUrl}/v1/categories`, { signal: AbortSignal.timeout(10_000) });
  const heard = Date.now();
  const api =
    response.status === 401
      ? ok('api', `${baseUrl} answers`)
      : fail('api', `${baseUrl} answers ${response.status} where 401 is right`, redeploy);
  const served = Date.parse(response.headers.get('date') ?? '');
  // The header has no fractions: half a second is the best guess of what was cut off.
  const skew = (asked + heard) / 2 - (served + 500);
  const moved = now() - Date.now();
  if (kind === 'local')
    return [
      api,
      ok('clock', moved > 1000 ? `the local service's was moved ${inWords(moved)} ahead` : 'the same machine'),
    ];
  if (Number.isNaN(skew))
    return [api, warn('clock', 'the API does not tell its time', 'Compare this clock with another.')];
  const detail = `${inWords(skew)} ${skew > 0 ? 'ahead of' : 'behind'} the API's`;
  return [
    api,
    Math.abs(skew) < skewMillis
      ? ok('clock', `within ${skewMillis / 1000} seconds of the API's`)
      : warn(
          'clock',
          detail,
          'Set this computer’s clock: AWS refuses calls of one that is 5 minutes off, and ends of keys are reckoned by it.',
        ),
  ];
};
