import { isLike } from './roles.ts';
import { type Part, pseudo, type ResolvedTemplate } from './template.ts';

/** Reads the OpenAPI document of a template's API as API Gateway imports it. */

/** A method of the API. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  /** True if the gateway asks the authorizer before it calls the function. */
  hasAuthorizer: boolean;
  /** True if the usage plan applies. */
  needsUsageKey: boolean;
  integration: Part;
}

/** The parts of one of the gateway's own answers. */
export interface AnswerFacts {
  statusCode: string;
  responseParameters?: Record<string, string>;
  responseTemplates: Record<string, string>;
}

type TemplateReader = Pick<ResolvedTemplate, 'ofType'>;

const authorizerField = 'x-amazon-apigateway-authorizer';
const integrationField = 'x-amazon-apigateway-integration';
const answersField = 'x-amazon-apigateway-gateway-responses';

/** Throws for a misspelt scheme, with which API Gateway would make the method public without an error. */
const schemesOf = (document: Part, { operationId, security = [] }: Part): Part[] =>
  security
    .flatMap((one: Part) => Object.keys(one))
    .map((name: string) => {
      const scheme = document.components?.securitySchemes?.[name];
      if (!scheme)
        throw new Error(`${operationId} names the security scheme ${name}, which the document does not have.`);
      return scheme;
    });

/** The methods of a document, including preflights. */
export const operationsOf = (document: Part): Operation[] =>
  Object.entries<Part>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Part>(methods).map(([method, operation]) => {
      const schemes = schemesOf(document, operation);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        hasAuthorizer: schemes.some((scheme) => authorizerField in scheme),
        needsUsageKey: schemes.some((scheme) => !(authorizerField in scheme) && scheme.name === 'x-api-key'),
        integration: operation[integrationField],
      };
    }),
  );

export const answersOf = (document: Part): Map<string, AnswerFacts> => new Map(Object.entries(document[answersField]));

/** The authorizer of a document. Throws unless there is exactly one. */
export const authorizerOf = (document: Part): Part => {
  const found = Object.values<Part>(document.components.securitySchemes).filter((one) => authorizerField in one);
  if (found.length !== 1) throw new Error(`The document has ${found.length} authorizers, and not one.`);
  return found[0][authorizerField];
};

/** The ARN of the function that a URI of API Gateway calls. */
export const invokedFunction = (uri: string): string => /\/functions\/(.*)\/invocations$/.exec(uri)?.[1] ?? '';

/** Makes a check whether a function's own policy lets this API call it, for a method of a stage or as authorizer. */
export const invocationsOf = (template: TemplateReader) => {
  const grants = template.ofType('AWS::Lambda::Permission').map(({ properties }) => properties);
  const api = template.ofType('AWS::ApiGateway::RestApi')[0]?.ref();
  const place = `arn:aws:execute-api:${pseudo['AWS::Region']}:${pseudo['AWS::AccountId']}:${api}`;
  return (target: string, source: string): boolean =>
    grants.some(
      ({ FunctionName, Principal, SourceArn }) =>
        FunctionName === target && Principal === 'apigateway.amazonaws.com' && isLike(SourceArn, `${place}/${source}`),
    );
};

/** The document of a template's API. */
export const documentOf = (template: TemplateReader): Part =>
  template.ofType('AWS::ApiGateway::RestApi')[0]?.properties.Body;
