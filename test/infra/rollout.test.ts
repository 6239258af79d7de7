import { expect, test } from 'vitest';
import { entryOf as servingOf } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { readTemplate } from '../../local/deployed/template.ts';
import { entryOf, idOf, type Resource, refersTo, templateOf } from '../support/stack.ts';

/** New versions that get a share of the calls first: the setting `canaryPercent`. */

const off = templateOf();
const { all, own, ofType, only, functionOf, dir } = templateOf({ canaryPercent: '10', canaryMinutes: '15' });
const atOnce = templateOf({ canaryPercent: '100' });

const moneyOf = ['LOT', 'GIFTCARD'] as const;
const shifted = [
  'authorizer',
  'delivery-worker',
  'expiry-sweep',
  'stream-consumer',
  ...routes.filter(({ writes }) => moneyOf.some((kind) => writes.includes(kind))).map(servingOf),
].sort();

/** The alias of each function that has one, by the function's entry. */
const aliases = new Map(
  ofType('AWS::Lambda::Alias').map(([id, { Properties }]) => [entryOf(all[Properties.FunctionName.Ref]), id]),
);

test('is off by default, without a trace in the template', () => {
  expect(JSON.stringify(off.all)).not.toMatch(/CodeDeploy|AWS::Lambda::(Alias|Version)|UnexpectedErrors/);
});

test('the endpoints that change credit or gift cards, the workers and the authorizer have an alias of their newest version', () => {
  expect(shifted).toContain('sales/create-sale');
  expect([...aliases.keys()].sort()).toEqual(shifted);
  for (const [entry, id] of aliases) {
    const version = all[idOf(all[id].Properties.FunctionVersion)];
    expect(version.Type, entry).toBe('AWS::Lambda::Version');
    expect(version.Properties.FunctionName.Ref, entry).toBe(functionOf(entry)[0]);
  }
});

test('nothing calls one of these past its alias', () => {
  const callers = [
    'AWS::ApiGateway::Method',
    'AWS::ApiGateway::Authorizer',
    'AWS::Lambda::EventSourceMapping',
    'AWS::Lambda::Permission',
    'AWS::Scheduler::Schedule',
  ].flatMap((type) => ofType(type));
  const [scheduleRole] = ofType('AWS::IAM::Role').filter(([id]) => id.startsWith('ScheduleRole')) as [
    [string, Resource],
  ];
  const [, invoke] = ofType('AWS::Lambda::EventInvokeConfig')[0] as [string, Resource];

  const called = [...callers, scheduleRole].flatMap(([, { Properties }]) => refersTo(Properties));
  for (const [entry, id] of aliases) {
    expect(called, entry).toContain(id);
    expect(called, entry).not.toContain(functionOf(entry)[0]);
  }
  expect(refersTo(invoke.Properties.Qualifier)).toEqual([aliases.get('expiry-sweep')]);
  // API Gateway keeps an old deployment until the id of the next one differs.
  expect(ofType('AWS::ApiGateway::Deployment')[0]?.[0]).not.toBe(off.ofType('AWS::ApiGateway::Deployment')[0]?.[0]);
});

test('the stream goes on with the same mapping, so that it neither misses a record nor begins anew', () => {
  const mappingIn = (of: typeof ofType) =>
    of('AWS::Lambda::EventSourceMapping').filter(([, { Properties }]) => Properties.StartingPosition);

  const [[id, mapping] = []] = mappingIn(ofType) as [string, Resource][];
  const [[before, earlier] = []] = mappingIn(off.ofType) as [string, Resource][];
  expect(id).toBe(before);
  expect({ ...mapping?.Properties, FunctionName: '' }).toEqual({ ...earlier?.Properties, FunctionName: '' });
});

test('a new version has the share of the settings for their minutes, and an alarm takes it back', () => {
  const [[config] = []] = ofType('AWS::CodeDeploy::DeploymentConfig') as [string, Resource][];
  const rollsBack = ['InvariantBroken', 'LookUpFailing', 'ServerErrors', 'SweepFailing', 'UnexpectedErrors'];

  expect(only('AWS::CodeDeploy::DeploymentConfig').TrafficRoutingConfig).toEqual({
    Type: 'TimeBasedCanary',
    TimeBasedCanary: { CanaryPercentage: 10, CanaryInterval: 15 },
  });
  for (const [entry, id] of aliases) {
    const { ApplicationName, DeploymentGroupName } = all[id].UpdatePolicy.CodeDeployLambdaAliasUpdate;
    const group = all[DeploymentGroupName.Ref].Properties;
    expect(all[ApplicationName.Ref].Properties, entry).toMatchObject({ ComputePlatform: 'Lambda' });
    expect(group, entry).toMatchObject({
      DeploymentConfigName: { Ref: config },
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      AlarmConfiguration: { Enabled: true },
    });
    const alarms: string[] = group.AlarmConfiguration.Alarms.map(({ Name }: Resource) => Name.Ref);
    expect(alarms.map((alarm) => alarm.replace(/[0-9A-F]{8}$/, '')).sort(), entry).toEqual(
      [...rollsBack, 'WorkerCrashing', 'WorkerFailing'].sort(),
    );
    for (const alarm of alarms) expect(all[alarm].Type).toBe('AWS::CloudWatch::Alarm');
  }
  expect(new Set([...aliases.values()].map((id) => JSON.stringify(all[id].UpdatePolicy))).size).toBe(aliases.size);
});

test('no alarm that stays on until somebody acts can refuse the deployment that mends its cause', () => {
  const [[, group] = []] = ofType('AWS::CodeDeploy::DeploymentGroup') as [string, Resource][];

  for (const { Name } of group?.Properties.AlarmConfiguration.Alarms ?? []) {
    const { Namespace, Period, EvaluationPeriods, Statistic, TreatMissingData } = all[Name.Ref].Properties;
    expect(Namespace, Name.Ref).not.toBe('AWS/SQS');
    expect(Statistic, Name.Ref).toBe('Sum');
    expect(Period * EvaluationPeriods, Name.Ref).toBeLessThanOrEqual(15 * 60);
    expect(TreatMissingData, Name.Ref).toBe('notBreaching');
  }
});

test('with 100 percent all calls move at once, and no alarm is asked', () => {
  const groups = atOnce.ofType('AWS::CodeDeploy::DeploymentGroup');

  expect(groups).toHaveLength(shifted.length);
  for (const [id, { Properties }] of groups) {
    expect(Properties.DeploymentConfigName, id).toBe('CodeDeployDefault.LambdaAllAtOnce');
    expect(Properties.AlarmConfiguration?.Alarms ?? [], id).toEqual([]);
    expect(Properties.AlarmConfiguration?.Enabled ?? false, id).toBe(false);
  }
  expect(atOnce.ofType('AWS::Lambda::Alias').map(([id]) => id)).toEqual([...aliases.values()]);
});

test('UnexpectedErrors counts crashes, time-outs and 500s of the access log, and not the 503 of a busy table', () => {
  const [[, alarm] = []] = ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith('UnexpectedErrors'));
  const filters = ofType('AWS::Logs::MetricFilter').flatMap(([, { Properties }]) =>
    Properties.MetricTransformations[0].MetricName === alarm?.Properties.MetricName ? [Properties] : [],
  );
  const [, stage] = ofType('AWS::ApiGateway::Stage')[0] as [string, Resource];
  const format = JSON.parse(stage.Properties.AccessLogSetting.Format);

  expect(filters.map(({ FilterPattern, LogGroupName }) => [LogGroupName.Ref, FilterPattern])).toEqual([
    [expect.stringMatching(/^streamconsumerLog/), '{ $.history = "unreadable" }'],
    [
      expect.stringMatching(/^ApiAccessLog/),
      '{ ($.status = "500") || ($.status = "504") || ($.answer = "*_ERROR") || ($.answer = "*_FAILURE") }',
    ],
  ]);
  expect(format).toMatchObject({ status: '$context.status', answer: '$context.error.responseType' });
});

test('CodeDeploy may change these aliases, read alarms, and do nothing else', () => {
  const roles = ofType('AWS::IAM::Role').filter(([id]) => id.startsWith('Rollout'));

  const changed = roles.flatMap(([, { Properties }]) => {
    const [change, read, ...others] = Properties.Policies[0].PolicyDocument.Statement;
    expect(others).toEqual([]);
    expect(Properties.ManagedPolicyArns).toBeUndefined();
    expect(change.Action).toEqual(['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias']);
    expect(read).toMatchObject({ Action: 'cloudwatch:DescribeAlarms', Resource: '*' });
    return change.Resource.map((one: Resource) =>
      one['Fn::Join'] ? `${idOf(one['Fn::Join'][1][0])}${one['Fn::Join'][1][1]}` : idOf(one),
    );
  });
  const ids = shifted.map((entry) => functionOf(entry)[0]);
  expect(changed.sort()).toEqual([...ids, ...ids.map((id) => `${id}:live`)].sort());
});

test('an endpoint changes when the readers of its messages and records have all their calls', () => {
  const readers = ['delivery-worker', 'expiry-sweep', 'stream-consumer'].map((entry) => aliases.get(entry));

  for (const entry of new Set(routes.map(servingOf)))
    expect(functionOf(entry)[1].DependsOn, entry).toEqual(expect.arrayContaining(readers));
});

test('no resource waits for itself, the update policies of the aliases included', () => {
  const isDone = new Set<string>();
  const follow = (id: string, path: readonly string[]): void => {
    expect(path, `a circle through ${id}`).not.toContain(id);
    if (isDone.has(id)) return;
    const { Properties, UpdatePolicy, DependsOn = [] } = own[id];
    const next = [...refersTo([Properties ?? {}, UpdatePolicy ?? {}]), ...DependsOn].filter((one) => one in own);
    for (const one of new Set(next)) follow(one, [...path, id]);
    isDone.add(id);
  };

  for (const id of Object.keys(own)) follow(id, []);

  expect(isDone.size).toBe(Object.keys(own).length);
});

test('npm run deployed reads it: every call of an alias leads to a function of the template', () => {
  const template = readTemplate(dir);
  const properties = (type: string): Resource[] => template.ofType(type).map((one) => one.properties);

  const calls: string[] = [
    ...properties('AWS::ApiGateway::Method').map(({ Integration }) => Integration.Uri),
    ...properties('AWS::ApiGateway::Authorizer').map(({ AuthorizerUri }) => AuthorizerUri),
    ...properties('AWS::Lambda::EventSourceMapping').map(({ FunctionName }) => FunctionName),
    ...properties('AWS::Scheduler::Schedule').map(({ Target }) => Target.Arn),
  ];
  const names = template.ofType('AWS::Lambda::Function').map((one) => one.ref());
  // By ARN or by name, and in a URI of the API within its path.
  const found = calls.map((call) => /([\w-]+)(:live)?(?:\/invocations)?$/.exec(call) ?? []);
  for (const [call, name] of found) expect(names, call).toContain(name);
  const throughAlias = found.flatMap(([, name, alias]) => (alias ? [name] : []));
  expect(new Set(throughAlias)).toEqual(new Set(shifted.map((entry) => functionOf(entry)[0])));
});
