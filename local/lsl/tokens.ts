/** Thrown for a script that the interpreter refuses to run: what it is and where, as `line 12: ...`. */
export class ScriptRefused extends Error {}

export interface Token {
  kind: 'word' | 'integer' | 'float' | 'string' | 'sign' | 'end';
  /** The text as it stands; of a string, its value. */
  text: string;
  line: number;
}

const pattern =
  /(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<float>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?f?|\d+[eE][+-]?\d+f?)|(?<integer>0[xX][\da-fA-F]+|\d+)|(?<word>[A-Za-z_]\w*)|"(?<string>(?:[^"\\]|\\[\s\S])*)"|(?<sign><<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[+\-*/%]=|[-+*/%=!~&|^<>(){}[\],;@.])/y;

/** LSL knows these escapes; a tab is four spaces, and any other character stands for itself. */
const unescaped = (text: string): string =>
  text.replace(/\\([\s\S])/g, (_, character: string) => ({ n: '\n', t: '    ' })[character] ?? character);

/** Divides a script into tokens. Throws ScriptRefused for a character that begins none. */
export const tokensOf = (source: string): Token[] => {
  const tokens: Token[] = [];
  let line = 1;
  pattern.lastIndex = 0;
  for (let at = 0; at < source.length; at = pattern.lastIndex) {
    const match = pattern.exec(source);
    if (!match) throw new ScriptRefused(`line ${line}: unexpected ${JSON.stringify(source[at])}`);
    const kind = (['integer', 'float', 'word', 'string', 'sign'] as const).find(
      (name) => match.groups?.[name] !== undefined,
    );
    const text = kind ? (match.groups?.[kind] ?? '') : '';
    if (kind) tokens.push({ kind, text: kind === 'string' ? unescaped(text) : text, line });
    line += match[0].split('\n').length - 1;
  }
  return [...tokens, { kind: 'end', text: 'end of script', line }];
};
