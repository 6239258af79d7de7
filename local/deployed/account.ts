import { randomUUID } from 'node:crypto';
import { pseudo, type ResolvedTemplate } from './template.ts';

/**
 * Answers calls about an account and its deployment in place of AWS: CloudFormation, STS, SNS, quotas, event sources
 * and backups. The operator's command and the launch make them, and no engine of this machine answers them.
 */

interface AccountOptions {
  stack: string;
  outputs: () => Readonly<Record<string, string>>;
  template: () => Pick<ResolvedTemplate, 'ofType' | 'isProtected'>;
  concurrency: number;
  /** Removes the deployment, except for resources that its template retains. */
  remove: () => Promise<void>;
  /** Called with each message that is published to a topic. */
  onMail?: ((message: string) => void) | undefined;
}

/** A call: its path with the query, the operation (empty if it is not JSON), and its body. */
interface AccountCall {
  path: string;
  target: string;
  body: string;
}

interface Answer {
  status: number;
  type: string;
  body: string;
}

const json = (body: object): Answer => ({
  status: 200,
  type: 'application/x-amz-json-1.0',
  body: JSON.stringify(body),
});

const escaped = (text: string): string => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);

/** The answer of a service that speaks XML. */
const xml = (operation: string, result: string): Answer => ({
  status: 200,
  type: 'text/xml',
  body: `<${operation}Response><${operation}Result>${result}</${operation}Result></${operation}Response>`,
});

const invalid = (message: string): Answer => ({
  status: 400,
  type: 'text/xml',
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${escaped(message)}</Message></Error></ErrorResponse>`,
});

const tableIn = (arn: string): string | undefined => /:table\/([^/]+)/.exec(arn)?.[1];

const describedStack = (stack: string, outputs: Readonly<Record<string, string>>): Answer => {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${escaped(value)}</OutputValue></member>`,
  );
  const facts = `<StackName>${stack}</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime>`;
  return xml('DescribeStacks', `<Stacks><member>${facts}<Outputs>${members.join('')}</Outputs></member></Stacks>`);
};

type Template = ReturnType<AccountOptions['template']>;

const subscriptionsOf = (template: Template, topic: string, isConfirmed: boolean): Answer => {
  const found = template.ofType('AWS::SNS::Subscription').filter(({ properties }) => properties.TopicArn === topic);
  const members = found.map(({ id, properties: { Protocol, Endpoint } }) => {
    const arn = isConfirmed ? `${topic}:${id}` : 'PendingConfirmation';
    return `<member><SubscriptionArn>${arn}</SubscriptionArn><Protocol>${Protocol}</Protocol><Endpoint>${escaped(Endpoint)}</Endpoint><TopicArn>${topic}</TopicArn></member>`;
  });
  return xml('ListSubscriptionsByTopic', `<Subscriptions>${members.join('')}</Subscriptions>`);
};

const eventSourcesOf = (template: Template, path: string): Answer => {
  const asked = tableIn(new URLSearchParams(path.split('?')[1]).get('EventSourceArn') ?? '');
  const EventSourceMappings = template
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => tableIn(String(properties.EventSourceArn)) === asked)
    .map(({ id }) => ({ UUID: id, State: 'Enabled' }));
  return json({ EventSourceMappings });
};

const backupsOf = (template: Template, body: string): Answer => {
  const { TableName } = JSON.parse(body);
  const table = template.ofType('AWS::DynamoDB::Table').find(({ ref, arn }) => [ref(), arn()].includes(TableName));
  const isOn = table?.properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled === true;
  const seconds = Date.now() / 1000;
  // Both times are now, so no increment of an export is due. There is no S3 to write one to.
  const times = { EarliestRestorableDateTime: seconds, LatestRestorableDateTime: seconds };
  const PointInTimeRecoveryDescription = {
    PointInTimeRecoveryStatus: isOn ? 'ENABLED' : 'DISABLED',
    ...(isOn && times),
  };
  return json({ ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription } });
};

const account = pseudo['AWS::AccountId'];
const identity = `<Arn>arn:aws:iam::${account}:user/operator</Arn><UserId>operator</UserId><Account>${account}</Account>`;

export const createAccount = ({ stack, outputs, template, concurrency, remove, onMail }: AccountOptions) => {
  const state = { isThere: true, isProtected: undefined as boolean | undefined, isConfirmed: false };
  const absent = (): Answer => invalid(`Stack with id ${stack} does not exist`);

  const deleteStack = async (): Promise<Answer> => {
    if (state.isProtected ?? template().isProtected)
      return invalid(`Stack [${stack}] cannot be deleted while TerminationProtection is enabled`);
    if (state.isThere) await remove();
    state.isThere = false;
    return xml('DeleteStack', '');
  };

  const byAction: Record<string, (fields: URLSearchParams) => Answer | Promise<Answer>> = {
    GetCallerIdentity: () => xml('GetCallerIdentity', identity),
    DescribeStacks: () => (state.isThere ? describedStack(stack, outputs()) : absent()),
    UpdateTerminationProtection: (fields) => {
      state.isProtected = fields.get('EnableTerminationProtection') === 'true';
      return state.isThere ? xml('UpdateTerminationProtection', `<StackId>${stack}</StackId>`) : absent();
    },
    DeleteStack: deleteStack,
    ListSubscriptionsByTopic: (fields) => subscriptionsOf(template(), fields.get('TopicArn') ?? '', state.isConfirmed),
    Publish: (fields) => {
      onMail?.(fields.get('Message') ?? '');
      return xml('Publish', `<MessageId>${randomUUID()}</MessageId>`);
    },
  };

  return {
    /** The owner of the address confirms the subscription. */
    confirm: (): void => {
      state.isConfirmed = true;
    },
    /** Answers a call; undefined if the call is for an engine or a function. */
    answer: async ({ path, target, body }: AccountCall): Promise<Answer | undefined> => {
      if (/\/account-settings\/?$/.test(path)) {
        const limit = { ConcurrentExecutions: concurrency, UnreservedConcurrentExecutions: concurrency };
        return json({ AccountLimit: limit });
      }
      if (/\/event-source-mappings\/?\?/.test(path)) return eventSourcesOf(template(), path);
      if (/^DynamoDB.*\.DescribeContinuousBackups$/.test(target)) return backupsOf(template(), body);
      if (target !== '' || !body.startsWith('Action=')) return undefined;
      const fields = new URLSearchParams(body);
      return byAction[fields.get('Action') ?? '']?.(fields);
    },
  };
};

export type Account = ReturnType<typeof createAccount>;
