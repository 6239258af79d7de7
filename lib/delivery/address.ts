import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { hostSuffixes, loopbackAllowed } from './settings.ts';

/**
 * Checks the address of a dispenser or a webhook. A caller who registers an address chooses where this service sends
 * requests, so an address must never lead into the network of the service itself.
 */

/** An address that may be called: its URL, and the one checked IP address to connect to. */
export interface CheckedAddress {
  url: URL;
  ip: string;
  family: 4 | 6;
}

/** Thrown for an address that must not be called; the text says why. */
export class AddressError extends Error {}

/** Looks host names up. Tests replace it. */
export const resolver = {
  lookup: (host: string): Promise<{ address: string }[]> => lookup(host, { all: true }),
};

/** The rule for addresses of one purpose. */
export interface AddressRule {
  ports: readonly string[];
  portWords: string;
  /** The allowed ends of host names, each with a leading dot; undefined for any public host. */
  suffixes: () => readonly string[] | undefined;
}

/** Scripts of the virtual world. The simulators of Second Life serve secure URLs of scripts at port 12043. */
export const scripts: AddressRule = {
  ports: ['', '443', '12043'],
  portWords: 'its port is neither 443 nor 12043',
  suffixes: hostSuffixes,
};

export const publicHosts: AddressRule = {
  ports: ['', '443'],
  portWords: 'its port is not 443',
  suffixes: () => undefined,
};

const isLoopbackHost = (host: string): boolean => host === 'localhost' || host === '127.0.0.1' || host === '[::1]';

const refuse = (reason: string): never => {
  throw new AddressError(reason);
};

/** Checks an address by its text alone. Throws AddressError. */
const parseUrl = (text: string, { ports, portWords, suffixes }: AddressRule): URL => {
  if (!URL.canParse(text)) return refuse('it is no URL');
  const url = new URL(text);
  const { protocol, username, password, hostname, port, hash } = url;
  if (username !== '' || password !== '' || hash !== '') return refuse('it has a user name, password or fragment');
  if (loopbackAllowed() && isLoopbackHost(hostname) && /^https?:$/.test(protocol)) return url;
  if (protocol !== 'https:') return refuse('it does not begin with https');
  if (!ports.includes(port)) return refuse(portWords);
  if (suffixes()?.some((suffix) => hostname.toLowerCase().endsWith(suffix)) === false)
    return refuse('its host is not one of the virtual world');
  return url;
};

/** The part of IPv6 that the internet routes. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Allows public addresses only. An IPv4-mapped address counts as its IPv4 address. Tunnelled addresses are refused. */
const isAllowed = (ip: string, host: string): boolean => {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  const range = address.range();
  const isRouted = address.kind() === 'ipv4' || address.match(globalUnicast);
  return (range === 'unicast' && isRouted) || (range === 'loopback' && loopbackAllowed() && isLoopbackHost(host));
};

/**
 * Checks an address and looks its name up: when it is registered, and again before each call, since the name may lead
 * elsewhere later. Throws AddressError, or the error of a failed look-up.
 */
export const checkAddress = async (text: string, rule: AddressRule = scripts): Promise<CheckedAddress> => {
  const url = parseUrl(text, rule);
  const found = await resolver.lookup(url.hostname.replace(/^\[|\]$/g, ''));
  // One bad address refuses the name: chance decides which address a connection takes.
  if (found.length === 0 || !found.every(({ address }) => isAllowed(address, url.hostname)))
    return refuse('its host does not lead to public addresses');
  const ip = found[0]?.address ?? '';
  return { url, ip, family: ipaddr.parse(ip).kind() === 'ipv6' ? 6 : 4 };
};
