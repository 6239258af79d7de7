import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Functions } from '../../../local/grid/lsl/library.ts';
import { startScript } from '../../../local/grid/lsl/script.ts';
import { virtualClock } from '../../../local/grid/world/clock.ts';

/** The language of the scripts means here what the platform's documentation says. */

/** Runs a script that says things. */
const start = (source: string) => {
  const clock = virtualClock(0);
  const said: string[] = [];
  let seconds = 0;
  const functions: Functions = {
    'void llOwnerSay(string)': (text: string) => void said.push(text),
    'void llSleep(float) waits': (duration: number) => {
      seconds = duration;
    },
  };
  const script = startScript(source, {
    functions,
    waited: () => {
      const waited = seconds;
      seconds = 0;
      return waited;
    },
    after: clock.after,
    onState: () => undefined,
    onEvent: () => undefined,
    onError: ({ message }) => said.push(message),
  });
  script.begin();
  return { said, clock, script };
};

/** The words that statements say at the start of a script, after these globals and functions. */
const said = (statements: string, before = '') => start(`${before}\ndefault { state_entry() { ${statements} } }`).said;
const textOf = (expression: string): string | undefined => said(`llOwnerSay((string)(${expression}));`)[0];

test.each([
  // Casts
  ['3.14', '3.140000'],
  ['(integer)"0x1F"', '31'],
  ['(integer)" 12 apples"', '12'],
  ['(integer)"-7"', '-7'],
  ['(integer)"apples"', '0'],
  ['(integer)"4294967295"', '-1'],
  ['(integer)"4294967296"', '-1'],
  ['(integer)(-1.9)', '-1'],
  ['(integer)3000000000.0', '-2147483648'],
  ['(float)"1.5x"', '1.500000'],
  ['(float)7', '7.000000'],
  ['<1, 2.5, 3>', '<1.00000, 2.50000, 3.00000>'],
  ['[<1, 2, 3>]', '<1.000000, 2.000000, 3.000000>'],
  ['[1, 2.5, "a", (key)"b"]', '12.500000ab'],
  ['"a\\tb\\"\\\\"', 'a    b"\\'],
  // Integers have 32 bits
  ['2147483647 + 1', '-2147483648'],
  ['65536 * 65536', '0'],
  ['46341 * 46341', '-2147479015'],
  ['0xFFFFFFFF', '-1'],
  ['-7 / 2', '-3'],
  ['-7 % 3', '-1'],
  ['~5', '-6'],
  ['1 << 33', '2'],
  ['-8 >> 1', '-4'],
  // Floats have 32 bits
  ['0.1', '0.100000'],
  ['16777216.0 + 1', '16777216.000000'],
  ['7 / 2.0', '3.500000'],
  // Operators and how tightly they bind
  ['1 + 2 * 3', '7'],
  ['10 - 4 - 3', '3'],
  ['1 << 2 + 1', '8'],
  ['5 & 3 == 3', '1'],
  ['1 | 6 ^ 4 & 5', '3'],
  ['TRUE || FALSE && FALSE', '0'],
  ['FALSE && FALSE || TRUE', '1'],
  ['!3', '0'],
  ['!0 + 1', '2'],
  ['-2 + 3', '1'],
  ['"a" + "b" == "ab"', '1'],
  ['"a" == (key)"a"', '1'],
  // Lists
  ['[1, 2] == [3, 4]', '1'],
  ['[1, 2, 3] != [1]', '2'],
  ['[] != [1]', '-1'],
  ['[1] + 2 + "c"', '12c'],
  ['0 + [1]', '01'],
  ['llGetListLength([])', '0'],
  ['llListFindList(["a", "b", "c"], ["b", "c"])', '1'],
  ['llListFindList(["1"], [1])', '-1'],
  ['llListFindList([(key)"a"], ["a"])', '-1'],
  ['llListFindList([1.5], [1.5])', '0'],
  ['llList2String([1.5], 0)', '1.500000'],
  ['llList2String(["a", "b"], -1)', 'b'],
  ['llList2String(["a", "b"], 2)', ''],
  ['llList2String(["a", "b"], -3)', ''],
  ['llList2Integer(["12x", 3.9], 0) + llList2Integer([3.9], 0)', '15'],
  ['llList2Float(["1.5"], 0)', '1.500000'],
  ['llDumpList2String(llDeleteSubList([1, 2, 3, 4], 1, 2), ",")', '1,4'],
  ['llDumpList2String(llDeleteSubList([1, 2, 3], -1, -1), ",")', '1,2'],
  ['llDumpList2String(llList2List([1, 2, 3, 4, 5, 6], 4, 1), ",")', '1,2,5,6'],
  ['llDumpList2String(llParseStringKeepNulls("a,,b", [","], []), "|")', 'a||b'],
  ['llDumpList2String(llParseString2List("a,,b", [","], []), "|")', 'a|b'],
  [
    'llDumpList2String(llListSort(["2027-02-01T00", "2027-01-31T23", "2027-01"], 1, TRUE), " ")',
    '2027-01 2027-01-31T23 2027-02-01T00',
  ],
  ['llDumpList2String(llListSort(["a", "c", "b"], 1, FALSE), "")', 'cba'],
  // Texts
  ['llStringLength("ä🎁")', '2'],
  ['llGetSubString("abcdef", 1, 2)', 'bc'],
  ['llGetSubString("abcdef", -2, -1)', 'ef'],
  ['llGetSubString("abcdef", 4, 1)', 'abef'],
  ['llGetSubString("abc", -9, -1)', 'abc'],
  ['llGetSubString("abc", 0, 99)', 'abc'],
  ['llGetSubString("abc", 5, 9)', ''],
  ['llDeleteSubString("abcdef", 1, 2)', 'adef'],
  ['llDeleteSubString("abcdef", 4, 1)', 'cd'],
  ['llDeleteSubString("abcdef", 0, 0)', 'bcdef'],
  ['llSubStringIndex("banana", "an")', '1'],
  ['llSubStringIndex("banana", "x")', '-1'],
  ['llReplaceSubString("a-b-c", "-", "+", 0)', 'a+b+c'],
  ['llReplaceSubString("a-b-c", "-", "+", 1)', 'a+b-c'],
  ['llReplaceSubString("a-b-c", "-", "+", -1)', 'a-b+c'],
  ['"<" + llStringTrim(" a ", STRING_TRIM) + ">"', '<a>'],
  ['"<" + llStringTrim(" a ", STRING_TRIM_HEAD) + ">"', '<a >'],
  ['llToLower("ÄB")', 'äb'],
  ['llEscapeURL("a b/ü!")', 'a%20b%2F%C3%BC%21'],
  ['llSHA256String("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [
    'llHMAC("key", "The quick brown fox jumps over the lazy dog", "sha256")',
    '97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg=',
  ],
  // JSON
  ['llJsonGetValue("{\\"a\\":[1,{\\"b\\":\\"x\\"}]}", ["a", 1, "b"])', 'x'],
  ['llJsonGetValue("{\\"a\\":[1, 2]}", ["a"])', '[1, 2]'],
  ['llJsonGetValue("{\\"a\\":1.5}", ["a"])', '1.5'],
  ['llJsonGetValue("{\\"a\\":true}", ["a"]) == JSON_TRUE', '1'],
  ['llJsonGetValue("{\\"a\\":null}", ["a"]) == JSON_NULL', '1'],
  ['llJsonGetValue("{}", ["a"]) == JSON_INVALID', '1'],
  ['llJsonGetValue("{\\"a\\":1", ["a"]) == JSON_INVALID', '1'],
  [
    'llList2Json(JSON_OBJECT, ["a", 1, "b", "x\\"", "c", JSON_TRUE, "d", JSON_NULL])',
    '{"a":1,"b":"x\\"","c":true,"d":null}',
  ],
  ['llList2Json(JSON_ARRAY, [1.5, "[A] lamp", "[1]", llList2Json(JSON_OBJECT, [])])', '[1.500000,"[A] lamp",[1],{}]'],
  ['llList2Json(JSON_OBJECT, ["a"]) == JSON_INVALID', '1'],
  ['llList2Json("", []) == JSON_INVALID', '1'],
  ['llJsonValueType("[1", []) == JSON_INVALID', '1'],
  ['llJsonValueType("[1]", []) == JSON_ARRAY', '1'],
])('%s is %s', (expression, text) => {
  expect(textOf(expression)).toBe(text);
});

const bump =
  'integer n; integer bump() { return ++n; } string two(integer a, integer b) { return (string)a + (string)b; }';

test.each([
  ['operands from right to left', '(string)bump() + (string)bump() + (string)bump()', '321'],
  ['a variable after what changes it on its right', '(string)n + (string)n++', '10'],
  ['the values of a call from left to right', 'two(bump(), bump())', '12'],
  ['the items of a list from left to right', '(string)[bump(), bump(), bump()]', '123'],
])('evaluates %s', (_, expression, text) => {
  expect(said(`llOwnerSay(${expression});`, bump)).toEqual([text]);
});

test('both sides of && and || are evaluated, whatever the first one is', () => {
  expect(said('integer a = FALSE && bump(); a = TRUE || bump(); llOwnerSay((string)n);', bump)).toEqual(['2']);
});

test.each([
  ['(key)"00000000-0000-0000-0000-000000000000"', false],
  ['(key)"11111111-2222-3333-4444-555555555555"', true],
  ['(key)"me"', false],
  ['""', false],
  ['"0"', true],
  ['[]', false],
  ['[0]', true],
  ['0.0', false],
  ['-1', true],
])('%s counts as %s', (condition, counts) => {
  expect(said(`if (${condition}) llOwnerSay("true"); else llOwnerSay("false");`)).toEqual([String(counts)]);
});

test('loops, assignments and functions run as they are written', () => {
  const sum = 'integer sum(integer to) { integer s; integer i; for (i = 1; i <= to; ++i) s += i; return s; }';
  const loops =
    'integer i = 3; string s; while (i) { s += (string)i; i--; } do s += "x"; while (FALSE); llOwnerSay(s);';

  expect(said(`llOwnerSay((string)sum(100)); ${loops}`, sum)).toEqual(['5050', '321x']);
});

test('a value that is given away stays as it is: lists and strings are never shared', () => {
  expect(said('list a = [1]; list b = a; b += 2; llOwnerSay((string)a + "," + (string)b);')).toEqual(['1,12']);
});

test.each([
  ['an unknown function', 'default { state_entry() { llTeleport(); } }', 'there is no function llTeleport'],
  ['an unknown constant', 'default { state_entry() { llOwnerSay(NO_SUCH); } }', 'there is no variable NO_SUCH'],
  ['an unknown event', 'default { collision(integer n) { } }', 'there is no event collision'],
  ['an event with other values', 'default { timer(integer n) { } }', 'timer takes ()'],
  ['an unknown type', 'default { state_entry() { bool b; } }', 'there is no variable bool'],
  [
    'a string for an integer',
    'default { state_entry() { integer n = "1"; } }',
    'a string stands where a integer must be',
  ],
  [
    'a float for an integer',
    'default { state_entry() { integer n = 1.5; } }',
    'a float stands where a integer must be',
  ],
  ['a string and an integer', 'default { state_entry() { string s = "a" + 1; } }', 'there is no string + integer'],
  ['a key and a string', 'default { state_entry() { string s = (key)"a" + "b"; } }', 'there is no key + string'],
  ['a call with a value too many', 'default { state_entry() { llAbs(1, 2); } }', 'llAbs takes no 2 values'],
  ['a call that lacks a value', 'default { state_entry() { llAbs(); } }', 'llAbs lacks values'],
  ['a name used twice', 'default { state_entry() { integer a; string a; } }', 'a is declared twice'],
  ['LSL’s own names', 'integer TRUE; default { timer() { } }', "TRUE is LSL's own"],
  [
    'a path without a value',
    'integer f() { if (1) return 1; } default { timer() { } }',
    'not every path of f_f returns',
  ],
  ['a value from an event', 'default { timer() { return 1; } }', 'an event returns no value'],
  ['a declaration without braces', 'default { timer() { if (1) integer a; } }', 'a declaration needs braces'],
  ['a cast of a sign', 'default { timer() { llOwnerSay((string)-1); } }', 'a cast of a sign needs parentheses'],
  ['a key for an integer', 'default { timer() { integer a = (integer)((key)"a"); } }', 'a key cannot become a integer'],
  ['a global with an operation', 'integer a = 1 + 2; default { timer() { } }', 'expected ;'],
  ['a global with a call', 'integer a = llAbs(1); default { timer() { } }', 'LSL'],
  ['a list in a list', 'default { timer() { list a = [[1]]; } }', 'a list cannot hold a list'],
  ['jumps', 'default { timer() { jump out; } }', 'jumps are not part'],
  ['an unknown state', 'default { timer() { state off; } }', 'there is no state off'],
  ['no default state', 'integer a;', 'there is no default state'],
  ['a stray character', 'default { timer() { ` } }', 'line 1: unexpected "`"'],
])('refuses %s', (_, source, why) => {
  expect(() => start(source)).toThrow(why);
});

test('a refusal names the line', () => {
  expect(() => start('default\n{\n  timer()\n  {\n    llOwnerSay(1);\n  }\n}')).toThrow('line 5');
});

describe('a script', () => {
  test('leaves a state by its exit and enters the next, and forgets the events that waited', () => {
    const { said: heard, script } = start(`
      default { state_exit() { llOwnerSay("exit"); } changed(integer n) { state other; } timer() { llOwnerSay("no"); } }
      state other { state_entry() { llOwnerSay("entry"); } timer() { llOwnerSay("tick"); } }`);

    script.send('changed', 1);
    script.send('timer');

    expect(heard).toEqual(['exit', 'entry', 'tick']);
  });

  test('takes one event after another, while it sleeps as well', () => {
    const {
      said: heard,
      script,
      clock,
    } = start(`
      default { changed(integer n) { llSleep(2.0); llOwnerSay((string)n); } }`);

    for (const n of [1, 2, 3]) script.send('changed', n);
    clock.advance(3.9);
    const early = [...heard];
    clock.advance(2.1);

    expect(early).toEqual(['1']);
    expect(heard).toEqual(['1', '2', '3']);
  });

  test('has 64 events waiting at most, of which one is a timer', () => {
    const {
      said: heard,
      script,
      clock,
    } = start(`
      default { changed(integer n) { llSleep(1.0); llOwnerSay("c"); } timer() { llOwnerSay("t"); } }`);
    script.send('changed', 0);

    for (let i = 0; i < 3; i++) script.send('timer');
    for (let i = 0; i < 70; i++) script.send('changed', i);
    clock.advance(100);

    expect(heard.length).toBe(1 + 64);
    expect(heard.filter((text) => text === 't')).toHaveLength(1);
    expect(script.dropped()).toBe(7);
  });

  test.each([
    ['a list that grows', 'list a; while (TRUE) a += "0123456789";'],
    ['a text that grows', 'string a = "x"; while (TRUE) a += a;'],
    ['calls without an end', 'f("x");'],
  ])('ends when its memory is full: %s', (_, statements) => {
    expect(said(statements, 'f(string a) { f(a + a); }')).toEqual(['Stack-Heap Collision']);
  });

  test('gives back the memory of a function that has ended', () => {
    const use =
      'integer use() { string s = "x"; integer i; for (i = 0; i < 12; ++i) s += s; return llStringLength(s); }';

    expect(said('integer i; for (i = 0; i < 50; ++i) use(); llOwnerSay("done");', use)).toEqual(['done']);
  });

  test.each(['1 / 0', '1 % 0', '1.0 / 0'])('ends at %s', (division) => {
    expect(said(`integer z = 0; llOwnerSay((string)(${division.replace(/0$/, 'z')}));`)).toEqual(['Math Error']);
  });
});

test('the interpreter stays small: its files without the library of functions have under 1,050 lines (ADR 38)', () => {
  const cwd = join(import.meta.dirname, '../../../local/grid/lsl');
  const files = globSync('**/*.ts', { cwd }).filter((file) => !['library.ts', 'json.ts'].includes(file));

  const lines = files.map((file) => readFileSync(join(cwd, file), 'utf8').split('\n').length - 1);

  expect(files).toContain('compile.ts');
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThan(1050);
});
