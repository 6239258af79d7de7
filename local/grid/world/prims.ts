import { constants, type Functions } from '../lsl/library.ts';
import { asString, Float, List, nullKey, ScriptError, Vector } from '../lsl/values.ts';
import { type Body, cut } from './object.ts';

const onlyText = 'This world knows the rule PRIM_TEXT alone.';

/** LSL's functions for the prims of an object: numbers, looks, messages among them, and scripts put into them. */
export const prims = (body: Body): Functions => ({
  'integer llGetNumberOfPrims()': () => body.prim.linkset.prims.length,
  // The root has the number 1, and a prim that is not linked the number 0.
  'integer llGetLinkNumber()': () => body.linkNumber(),
  'string llGetLinkName(integer)': (link: number) => body.linked(link)[0]?.name ?? '',
  'key llGetLinkKey(integer)': (place: number) =>
    body.prim.linkset.prims[body.prim.linkset.prims.length === 1 ? place : place - 1]?.id ?? nullKey,
  'integer llDetectedLinkNumber(integer)': (place: number) =>
    place < body.detected.length ? body.linkNumber(body.touched) : 0,
  'void llMessageLinked(integer, integer, string, key)': (link: number, number: number, text: string, id: string) =>
    body.around.messageLinked(body.linked(link), number, text, id),
  'void llSetRemoteScriptAccessPin(integer) waits': (pin: number) => {
    body.prim.pin = pin;
    return body.wait(0.2, undefined);
  },
  'void llRemoteLoadScriptPin(key, string, integer, integer, integer) waits': (
    to: string,
    name: string,
    pin: number,
  ) => {
    if (!body.around.loadScript(to, name, pin))
      body.refuse(`Task ${body.name} trying to illegally load script onto task!`);
    return body.wait(3, undefined);
  },
  'void llSetText(string, vector, float)': (text: string) => {
    body.seen.text = cut(text, 254);
  },
  'void llSetTexture(string, integer) waits': (texture: string, face: number) => {
    body.seen.textures.set(face, texture);
    return body.wait(0.2, undefined);
  },
  'void llSetLinkTexture(integer, string, integer) waits': (link: number, texture: string, face: number) => {
    for (const { seen } of body.linked(link)) seen.textures.set(face, texture);
    return body.wait(0.2, undefined);
  },
  'void llSetLinkPrimitiveParamsFast(integer, list)': (link: number, { items }: List) => {
    const [rule, text] = items;
    if (rule !== constants.PRIM_TEXT || items.length !== 4) throw new ScriptError(onlyText);
    for (const { seen } of body.linked(link)) seen.text = cut(asString(text ?? ''), 254);
  },
  'list llGetLinkPrimitiveParams(integer, list)': (link: number, { items }: List) => {
    if (items.length !== 1 || items[0] !== constants.PRIM_TEXT) throw new ScriptError(onlyText);
    // Colour and alpha are not kept.
    return new List(body.linked(link).flatMap(({ seen }) => [seen.text, new Vector(1, 1, 1), new Float(1)]));
  },
  'void llSetPayPrice(integer, list)': (price: number, { items }: List) => {
    const { linkset } = body.prim;
    if (linkset.prims[0] === body.prim) linkset.payPrice = [price, ...items.map(Number)];
  },
});
