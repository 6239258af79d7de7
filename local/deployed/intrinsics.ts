/** Replaces CloudFormation's functions in a template, such as `Fn::Sub`, by their values. */

// biome-ignore lint/suspicious/noExplicitAny: a template is looked at member by member.
type Part = any;

export interface Values {
  /** The value of `Ref`. */
  ref: (name: string) => Part;
  /** The value of `Fn::GetAtt`. */
  attribute: (id: string, name: string) => Part;
  /** The value of a condition, for `Fn::If`. */
  condition?: (name: string) => boolean;
  /** Changes each text, for example to fill in secrets. */
  text?: (text: string) => string;
}

/** Fills in the references of a text of `Fn::Sub`. */
const filled = (text: string, given: Readonly<Record<string, Part>>, values: Values): string =>
  text.replace(/\$\{([\w:.]+)\}/g, (_, name: string) => {
    if (name in given) return String(resolveWith(values, given[name]));
    const [id = '', ...attribute] = name.split('.');
    return String(attribute.length > 0 ? values.attribute(id, attribute.join('.')) : values.ref(name));
  });

const functions: Record<string, (value: Part, values: Values) => Part> = {
  Ref: (name, { ref }) => ref(name),
  'Fn::GetAtt': (value, { attribute }) => {
    const [id, ...name] = typeof value === 'string' ? value.split('.') : value;
    return attribute(id, name.join('.'));
  },
  'Fn::Join': ([separator, parts], values) =>
    (resolveWith(values, parts) as Part[]).map((one) => String(one)).join(separator),
  'Fn::Select': ([index, parts], values) => (resolveWith(values, parts) as Part[])[Number(index)],
  'Fn::Split': ([separator, text], values) => String(resolveWith(values, text)).split(separator),
  'Fn::Sub': (value, values) =>
    typeof value === 'string' ? filled(value, {}, values) : filled(value[0], value[1], values),
  'Fn::If': ([name, yes, no], values) => {
    if (!values.condition) throw new Error('local/deployed/intrinsics.ts knows no conditions of this template.');
    return resolveWith(values, values.condition(name) ? yes : no);
  },
};

/** Resolves every function in a part of a template. Leaves out each `AWS::NoValue`. */
export const resolveWith = (values: Values, part: Part): Part => {
  const { text = (one) => one } = values;
  if (typeof part === 'string') return text(part);
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => resolveWith(values, one)).filter((one) => one !== undefined);
  const [[name, value] = ['', undefined], ...others] = Object.entries<Part>(part);
  if (others.length === 0) {
    if (name === 'Ref' && value === 'AWS::NoValue') return undefined;
    const known = functions[name];
    if (known) {
      const result = known(value, values);
      return typeof result === 'string' ? text(result) : result;
    }
    if (name.startsWith('Fn::')) throw new Error(`local/deployed/intrinsics.ts does not resolve ${name}.`);
  }
  const resolved = Object.entries<Part>(part).map(([key, each]) => [key, resolveWith(values, each)]);
  return Object.fromEntries(resolved.filter(([, each]) => each !== undefined));
};
