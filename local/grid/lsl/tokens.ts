/** Thrown for a script that the interpreter refuses to run, with the reason and place, as `line 12: ...`. */
class ScriptRefused extends Error {}

export interface Token {
  kind: 'word' | 'integer' | 'float' | 'string' | 'sign' | 'end';
  /** The text as the script has it, or the value of a string. */
  text: string;
  line: number;
}

/** The kinds of tokens, in the order in which they are tried. The group of each pattern holds the text. */
const patterns = [
  ['space', /(\s+)/y],
  ['space', /(\/\/[^\n]*)/y],
  ['space', /(\/\*(?:[^*]|\*(?!\/))*\*\/)/y],
  ['float', /((?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?f?)/y],
  ['float', /(\d+[eE][+-]?\d+f?)/y],
  ['integer', /(0[xX][\da-fA-F]+)/y],
  ['integer', /(\d+)/y],
  ['word', /([A-Za-z_]\w*)/y],
  ['string', /"((?:[^"\\]|\\[\s\S])*)"/y],
  ['sign', /(<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[+\-*/%]=|[-+*/%=!~&|^<>(){}[\],;@.])/y],
] as const;

/** The token at an index: its kind, all its characters, and its text. */
const tokenAt = (source: string, at: number) => {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) return { kind, whole: match[0], text: match[1] ?? '' };
  }
  return undefined;
};

/** Replaces LSL's escapes. A tab becomes four spaces. Any other escaped character stays. */
const unescaped = (text: string): string =>
  text.replace(/\\([\s\S])/g, (_, character: string) => ({ n: '\n', t: '    ' })[character] ?? character);

/** Divides a script into tokens. Throws ScriptRefused for a character that begins no token. */
const tokensOf = (source: string): Token[] => {
  const tokens: Token[] = [];
  let line = 1;
  for (let at = 0; at < source.length; ) {
    const token = tokenAt(source, at);
    if (!token) throw new ScriptRefused(`line ${line}: unexpected ${JSON.stringify(source[at])}`);
    const { kind, whole, text } = token;
    if (kind !== 'space') tokens.push({ kind, text: kind === 'string' ? unescaped(text) : text, line });
    line += whole.split('\n').length - 1;
    at += whole.length;
  }
  return [...tokens, { kind: 'end', text: 'end of script', line }];
};

/** Reads the tokens of a script one after another. */
export class Reader {
  readonly tokens: readonly Token[];
  at = 0;
  constructor(source: string) {
    this.tokens = tokensOf(source);
  }
  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)] as Token;
  }
  refuse(why: string): never {
    throw new ScriptRefused(`line ${this.peek().line}: ${why}`);
  }
  next(): Token {
    const token = this.peek();
    this.at += 1;
    return token;
  }
  isSign(text: string, ahead = 0): boolean {
    return this.peek(ahead).kind === 'sign' && this.peek(ahead).text === text;
  }
  isWord(text: string): boolean {
    return this.peek().kind === 'word' && this.peek().text === text;
  }
  /** Takes this sign or word, if it comes next. */
  take(text: string): boolean {
    const found = this.isSign(text) || this.isWord(text);
    if (found) this.at += 1;
    return found;
  }
  takeOneOf(signs: readonly string[]): string | undefined {
    return signs.find((sign) => this.take(sign));
  }
  expect(text: string): void {
    if (!this.take(text)) this.refuse(`expected ${text} instead of ${this.peek().text}`);
  }
}
